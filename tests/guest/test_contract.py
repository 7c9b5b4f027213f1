"""Host and guest share numbers, never an import."""

from __future__ import annotations

import struct

from codegen_eval.interfaces import EndReason
from codegen_eval.judge import codec, reply, tags
from codegen_eval.sandbox import wire
from guest_modules import guest_module


def test_both_sides_know_the_same_frames() -> None:
    """Every public number and layout of one side is on the other."""
    guest = guest_module("wire")
    names = [name for name in vars(wire) if name.isupper() and name != "REASONS"]

    for name in names:
        ours, theirs = getattr(wire, name), getattr(guest, name)
        if isinstance(ours, struct.Struct):
            ours, theirs = ours.format, theirs.format
        assert ours == theirs, name


def test_reasons_mean_the_same_on_both_sides() -> None:
    """The guest's reason numbers index the host's table."""
    guest = guest_module("wire")
    table = {
        guest.CLOSED: EndReason.CLOSED,
        guest.EXITED: EndReason.EXITED,
        guest.KILLED: EndReason.KILLED,
        guest.OUT_OF_MEMORY: EndReason.OUT_OF_MEMORY,
        guest.CPU: EndReason.CPU,
        guest.OUTPUT: EndReason.OUTPUT,
    }

    assert [table[number] for number in sorted(table)] == list(wire.REASONS)


def test_the_seccomp_program_is_well_formed() -> None:
    """Every jump of the filter lands inside it, on both architectures, and it ends in a verdict."""
    fence = guest_module("fence")
    for machine in ("x86_64", "aarch64"):
        program = fence.seccomp_program(machine, (100, 200))
        code = list(struct.iter_unpack("=HBBI", program))

        assert code[-1][0] == 0x06
        for index, (operation, if_true, if_false, _) in enumerate(code):
            if operation & 0x07 == 0x05:
                assert index + 1 + max(if_true, if_false) < len(code)
    assert fence.seccomp_program("vax", ()) is None


def test_values_and_exceptions_have_the_same_bounds_on_both_sides() -> None:
    """What the guest may name, the host knows; what it holds to be too much is no more than what the host refuses."""
    guest, raised = guest_module("codec"), guest_module("raised")

    assert set(tags.FACTORIES) == guest.FACTORIES
    assert guest.MAX_REPEATED == codec.MAX_REPEATED
    assert raised.MOST_ARGUMENTS == reply.MOST_ARGUMENTS
    assert guest.MAX_VALUES <= codec.MAX_ITEMS
