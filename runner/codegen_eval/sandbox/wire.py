"""What host and supervisor both know.

Its counterpart is `sandbox-image/guest/wire.py`; a contract test holds them together.
"""

from __future__ import annotations

import struct

from codegen_eval.interfaces import EndReason

PROTOCOL = 6

HEADER = struct.Struct("!BII")
"""Kind, worker generation, length of the payload."""
SPAWN_PAYLOAD = struct.Struct("!dQ")
"""CPU seconds of the process tree, bytes that may be printed."""
ENDED_PAYLOAD = struct.Struct("!BiQ?")
"""Reason, raw wait status, CPU nanoseconds of the tree, whether it left processes running."""
TAKEN_PAYLOAD = struct.Struct("!I")
"""Bytes that a worker has taken since the last such frame."""
CHUNK = 1 << 16
"""Longest payload of TO_WORKER."""
WINDOW = 1 << 18
"""Bytes to a worker that may be under way: sent, and not told as taken."""
FRAME = struct.Struct("!I")
"""Between host and worker: length of the JSON message that follows."""

SPAWN = 1
TO_WORKER = 2
END = 3

READY = 1
FROM_WORKER = 2
ENDED = 3
TAKEN = 4

REASONS: tuple[EndReason, ...] = (
    EndReason.CLOSED,
    EndReason.EXITED,
    EndReason.KILLED,
    EndReason.OUT_OF_MEMORY,
    EndReason.CPU,
    EndReason.OUTPUT,
)
"""By the number in ENDED."""

UP = b'\x00\x00\x00\x08{"up":1}'
"""The frame that a worker sends first, before it is given any source: what goes wrong until then is not its fault."""
