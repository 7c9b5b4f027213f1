"""The packed private cases of LiveCodeBench: a text comes out, and nothing that a pickle could do is done."""

from __future__ import annotations

import base64
import json
import os
import pickle
import zlib
from pathlib import Path
from typing import SupportsIndex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.datasets import read_dataset
from codegen_eval.datasets.fields import BadRecordError
from codegen_eval.datasets.packed import read_pickled_text, unpack_text
from codegen_eval.errors import DatasetError

RECORD = {
    "question_id": "x",
    "question_title": "X",
    "question_content": "Print 1.",
    "starter_code": "",
    "metadata": "{}",
    "public_test_cases": "[]",
}


class _Runs:
    """A value whose pickle makes a folder when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[object, tuple[str]]:
        return (os.mkdir, (str(self.path),))


def _pack(pickled: bytes) -> str:
    return base64.b64encode(zlib.compress(pickled)).decode()


@given(text=st.text(), protocol=st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_a_packed_text_comes_back(text: str, protocol: int) -> None:
    """A text that was pickled by any protocol, compressed and encoded comes back as it was."""
    assert unpack_text(_pack(pickle.dumps(text, protocol)), "x") == text


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_would_run_code_runs_none(tmp_path: Path, protocol: int) -> None:
    """A pickle with a call in it is refused as a fault of its line and not run; that it would work is shown."""
    mark = tmp_path / "mark"
    pickled = pickle.dumps(_Runs(mark), protocol)
    file = tmp_path / "set.jsonl"
    file.write_text(json.dumps({**RECORD, "private_test_cases": _pack(pickled)}), encoding="utf-8")

    with pytest.raises(DatasetError) as caught:
        read_dataset(f"livecodebench={file}")

    assert "pickle of something other than one text" in caught.value.message
    assert not mark.exists()
    pickle.loads(pickled)  # noqa: S301 - shows that it is a real attack
    assert mark.is_dir()


@pytest.mark.parametrize("value", [1, None, b"x", ["x"], ("x", "y"), {"x": "y"}, 1.5, True, os.getcwd])
def test_a_pickle_of_anything_but_a_text_is_refused(value: object) -> None:
    """Whatever is no text is refused by the name of its first instruction."""
    with pytest.raises(BadRecordError, match=r"something other than one text|not the pickle of one text"):
        read_pickled_text(pickle.dumps(value), "x")


@pytest.mark.parametrize(
    "pickled",
    [
        b"",
        b".",
        b"X",
        pickle.dumps("x")[:-1],
        pickle.dumps("x") + b".",
        pickle.dumps("x") + pickle.dumps("y"),
        b"\x80\x05\x8d\xff\xff\xff\xff\xff\xff\xff\x7fx.",  # a text of eight exabytes
        b"\x80\x05\x96\xff\xff\xff\xff\xff\xff\xff\x7fx.",  # and so many bytes
        b"\x80\x04\x8c\x01xr\xff\xff\xff\x7f.",  # remembered under a number that an unpickler makes room for
        b"I" + b"9" * 100_000 + b"\n.",
        b"cos\nsystem\n(S'true'\ntR.",
    ],
)
def test_a_pickle_that_is_cut_or_made_to_exhaust_is_refused_or_read_cheaply(pickled: bytes) -> None:
    """What is no whole pickle of a text is refused; sizes that it claims cost nothing."""
    try:
        assert read_pickled_text(pickled, "x") == "x"
    except BadRecordError as exc:
        assert "`" in str(exc) or "pickle" in str(exc)  # noqa: PT017 - either is right


@pytest.mark.parametrize(
    ("packed", "words"),
    [
        ("no base64!", "neither JSON nor base64"),
        (base64.b64encode(b"no zlib").decode(), "not compressed"),
        (_pack(pickle.dumps("packed and cut"))[:-8], "cut off"),
        ("ä", "neither JSON nor base64"),
    ],
)
def test_what_is_packed_otherwise_is_told(packed: str, words: str) -> None:
    """Each layer that is not as it should be is named."""
    with pytest.raises(BadRecordError, match=words):
        unpack_text(packed, "x")


@pytest.mark.slow
def test_a_bomb_is_not_unpacked() -> None:
    """A text that expands beyond the limit is refused."""
    packer = zlib.compressobj()
    bomb = b"".join(packer.compress(b"\0" * (1 << 20)) for _ in range(300)) + packer.flush()

    with pytest.raises(BadRecordError, match="expands to more than 256 MiB"):
        unpack_text(base64.b64encode(bomb).decode(), "x")


@given(pickled=st.binary(max_size=200))
def test_no_bytes_do_anything_but_give_a_text_or_be_refused(pickled: bytes) -> None:
    """Whatever bytes stand for a pickle: a text, or a refusal."""
    try:
        assert isinstance(read_pickled_text(pickled, "x"), str)
    except BadRecordError as exc:
        assert str(exc)  # noqa: PT017 - either is right
