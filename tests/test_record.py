"""Reading records out of files that are cut, damaged, huge or meant to harm: what is good is read, the rest is told."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.errors import InputError
from codegen_eval.fault import MAX_KEPT, Fault, FaultLog
from codegen_eval.record import ReadLimits, read_records

GOOD = b'{"a": 1}'
SMALL = ReadLimits(line_bytes=1000, total_bytes=100_000)


def _read(path: Path, data: bytes, limits: ReadLimits = SMALL) -> tuple[list[tuple[int, object]], list[str]]:
    path.write_bytes(data)
    faults = FaultLog()
    records = [(record.line, record.value) for record in read_records(path, faults, limits)]
    return records, [str(fault).removeprefix(str(path)) for fault in faults]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give a path for a file."""
    return tmp_path / "records"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"a": 1', "not JSON"),
        (b'{"a": 1} {"a": 2}', "not JSON: Extra data"),
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' stands twice"),
        (b'{"b": {"a": 1, "a": 3}}', "the key 'a' stands twice"),
        (b'{"a": "\xff"}', "not UTF-8 (byte 7 of the line)"),
        (b'"text"', "a JSON object is due here, not a text"),
        (b"NaN", "a JSON object is due here, not NaN"),
        (b"[" + b"[" * 300, "a JSON object is due"),
        (b'{"a": ' + b"[" * 400 + b"]" * 400 + b"}", "a JSON object is due"),
        (b'{"a": ' + b"9" * 900 + b"}", ""),
        (b'{"a": "' + b"x" * 2000 + b'"}', "a line of 2009 bytes; at most 1000 are read"),
        (b"\x00\x01", "not JSON"),
    ],
)
def test_a_bad_line_is_told_by_its_number_and_the_rest_is_read(file: Path, line: bytes, words: str) -> None:
    """A line that can't be read is one fault with its number; the lines around it are read."""
    records, faults = _read(file, GOOD + b"\n\n" + line + b"\n" + GOOD + b"\n")

    assert records[0] == (1, {"a": 1})
    assert records[-1] == (4, {"a": 1})
    if len(records) == 2:
        assert len(faults) == 1
        assert faults[0].startswith(":3: ")
        assert words in faults[0] or b"[[" in line


@pytest.mark.parametrize("size", [999, 1000, 1001, 3 << 20, (3 << 20) + 7])
@pytest.mark.parametrize("ended", [True, False])
def test_a_long_line_is_measured_however_it_is_read(file: Path, size: int, *, ended: bool) -> None:
    """A line is as long as it is, also where it comes in several pieces and where it is the last."""
    limits = ReadLimits(line_bytes=1000, total_bytes=100 << 20)
    line = b'{"a": "' + b"x" * (size - 9) + b'"}'

    records, faults = _read(file, GOOD + b"\n" + line + (b"\n" + GOOD if ended else b""), limits)

    assert [number for number, _ in records] == [1, *([2] if size <= 1000 else []), *([3] if ended else [])]
    assert faults == ([] if size <= 1000 else [f":2: a line of {size} bytes; at most 1000 are read"])


@pytest.mark.parametrize("idle", [b"\n", b" \r\n", b"x\n"], ids=["blank", "blanks", "rubbish"])
@pytest.mark.parametrize("first", [GOOD + b"\n", GOOD + b"\n" * 200 + GOOD + b"\n", b""], ids=["one", "two", "none"])
def test_lines_without_a_record_end_a_file_that_is_made_of_them(file: Path, idle: bytes, first: bytes) -> None:
    """A bomb of lines that hold nothing is left early, however little it expands to."""
    limits = ReadLimits(line_bytes=1000, total_bytes=100 << 20, idle_lines=500)

    records, faults = _read(file, gzip.compress(first + idle * 2000 + GOOD), limits)

    assert len(records) == first.count(GOOD)
    assert faults[-1].endswith("501 lines without a record; the rest is not read")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that breaks when it is read is Linux's")
def test_a_file_that_can_not_be_read_is_told_by_its_name() -> None:
    """A broken disk is a fault of the file, and none of the program."""
    with pytest.raises(InputError, match="`/proc/self/mem` can't be read: Input/output error"):
        list(read_records(Path("/proc/self/mem"), FaultLog()))


@pytest.mark.parametrize("form", ["lines", "array"])
def test_a_file_of_records_that_nobody_wants_is_left(file: Path, form: str) -> None:
    """A bomb of records is left early where its reader finds fault with nearly all of them, and only there."""
    limits = ReadLimits(useless_records=500)
    for share, left in ((0, True), (50, True), (2, False)):
        records = [{"good": share and number % share == 0} for number in range(2000)]
        lines = "\n".join(map(json.dumps, records)) if form == "lines" else json.dumps(records)
        file.write_text(lines, encoding="utf-8")
        faults, read = FaultLog(), 0
        for record in read_records(file, faults, limits):
            read += 1
            if not (isinstance(record.value, dict) and record.value["good"]):
                faults.add(Fault(path=str(file), line=record.line, what="it is none"))

        assert (read < 600) == left
        assert any("the rest is not read" in fault.what for fault in faults) == left
        assert left or read == 2000


def test_blank_lines_in_an_array_are_bounded_as_well(file: Path) -> None:
    """An array is read as a whole, and no longer than it holds something."""
    limits = ReadLimits(idle_lines=500)

    assert _read(file, b'[{"a": 1},' + b"\n" * 400 + b'{"a": 2}]', limits)[1] == []
    assert _read(file, b'[{"a": 1},' + b"\n" * 600 + b'{"a": 2}]', limits) == (
        [],
        [":1: an array with 501 blank lines in it"],
    )


def test_many_records_among_blank_lines_are_read(file: Path) -> None:
    """Some blank lines between records end no file."""
    records, faults = _read(file, (GOOD + b"\n\n\n") * 3000, ReadLimits(idle_lines=500))

    assert (len(records), faults) == (3000, [])


@pytest.mark.parametrize(
    "nested",
    [b"[" * 100_000, b'{"a":' * 100_000, b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}"],
    ids=["lists", "objects", "both"],
)
def test_deep_nesting_is_a_fault(file: Path, nested: bytes) -> None:
    """Nesting that a recursive parser can't take is a fault like any other."""
    limits = ReadLimits(line_bytes=1 << 20, total_bytes=1 << 22)

    records, faults = _read(file, GOOD + b"\n" + nested + b"\n" + GOOD + b"\n", limits)

    assert [line for line, _ in records] == [1, 3]
    assert len(faults) == 1


def test_bom_crlf_blank_lines_and_a_missing_last_line_end_do_no_harm(file: Path) -> None:
    """Lines count as editors count them, whatever ends them, with or without a byte order mark."""
    records, faults = _read(file, b"\xef\xbb\xbf" + GOOD + b"\r\n\r\n" + GOOD + b"\r\n" + GOOD)

    assert [line for line, _ in records] == [1, 3, 4]
    assert faults == []


def test_nan_and_infinities_are_read(file: Path) -> None:
    """What Python writes for a float that JSON doesn't know is read; who needs a text refuses it by its type."""
    records, faults = _read(file, b'{"a": NaN, "b": -Infinity}\n')

    assert repr(records) == "[(1, {'a': nan, 'b': -inf})]"
    assert faults == []


@pytest.mark.parametrize("name", ["records", "records.gz", "records.jsonl"])
def test_what_is_gzipped_is_known_by_its_bytes(tmp_path: Path, name: str) -> None:
    """A gzip file is unpacked whatever its name, members after the first one included."""
    packed = gzip.compress(GOOD + b"\n") + gzip.compress(GOOD + b"\n") + b"\0" * 512

    records, faults = _read(tmp_path / name, packed)

    assert [line for line, _ in records] == [1, 2]
    assert faults == []
    assert _read(tmp_path / name, GOOD)[0] == [(1, {"a": 1})]


@given(cut=st.integers(1, 400))
def test_a_truncated_gzip_file_gives_what_stands_before_the_cut(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    """A cut gzip file gives a prefix of its records, in order, and one fault that says that it is cut."""
    file = tmp_path_factory.mktemp("cut") / "records"
    whole = [{"n": number, "x": os.urandom(20).hex()} for number in range(40)]
    packed = gzip.compress(b"".join(json.dumps(item).encode() + b"\n" for item in whole))

    records, faults = _read(file, packed[: -min(cut, len(packed) - 20)])

    assert [value for _, value in records] == whole[: len(records)]
    assert len(faults) == 1
    assert "cut off" in faults[0]


@given(place=st.integers(200, 1500), flip=st.integers(1, 255))
def test_a_damaged_gzip_file_ends_in_one_fault(tmp_path_factory: pytest.TempPathFactory, place: int, flip: int) -> None:
    """A flipped byte in a gzip file is found: faults, and no traceback."""
    file = tmp_path_factory.mktemp("flip") / "records"
    packed = bytearray(gzip.compress(b"".join(b'{"x": "%s"}\n' % os.urandom(20).hex().encode() for _ in range(60))))
    packed[place % (len(packed) - 10)] ^= flip

    _, faults = _read(file, bytes(packed))

    assert faults or place % (len(packed) - 10) < 10  # the header has bytes that nothing checks


def test_a_damaged_check_sum_loses_no_record(file: Path) -> None:
    """A gzip file whose check sum alone is wrong gives all its records and a fault."""
    packed = bytearray(gzip.compress(GOOD + b"\n"))
    packed[-6] ^= 1

    records, faults = _read(file, bytes(packed))

    assert records == [(1, {"a": 1})]
    assert "damaged" in faults[0]


def test_a_bomb_is_left_where_it_exceeds_the_limit(file: Path) -> None:
    """A file that expands to more than the limit is read up to it; the records before that count."""
    packed = gzip.compress(GOOD + b"\n" + b" " * 50_000_000)

    records, faults = _read(file, packed)

    assert records in ([], [(1, {"a": 1})])
    assert "more than 100000 bytes" in faults[-1]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it is empty"),
        (b"\n \r\n", "it is empty"),
        (b"\xef\xbb\xbf", "it is empty"),
        (gzip.compress(b"", mtime=0), "it is empty"),
        (b"PAR1....", "Parquet"),
        (b"PK\x03\x04....", "zip"),
        ("\ufeff{}".encode("utf-16-le"), "UTF-16"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
        (b"[", "not JSON"),
        (b"[]x", "something stands after the end"),
        (b"[{}] \n []", "something stands after the end"),
        (b"[{} {}]", "a `,` or the end of the array"),
    ],
)
def test_a_file_that_is_none_of_ours_is_told_what_it_is(file: Path, data: bytes, words: str) -> None:
    """Empty files, foreign formats and broken arrays are a fault each."""
    _, faults = _read(file, data)

    assert len(faults) == 1
    assert words in faults[0]


def test_an_array_gives_its_items_with_their_lines(file: Path) -> None:
    """The items of a JSON array are records, each with the line that it begins on; a broken one ends the reading."""
    records, faults = _read(file, b'\n[\n {"a": 1},\n\n {"a":\n  2}\n , [3], {"a": }\n]')

    assert records == [(3, {"a": 1}), (5, {"a": 2}), (7, [3])]
    assert len(faults) == 1
    assert faults[0].startswith(":7: not JSON")


@given(
    items=st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(), max_size=3), max_size=5)
)
def test_what_was_written_is_read(tmp_path_factory: pytest.TempPathFactory, items: list[dict[str, object]]) -> None:
    """JSONL, gzipped JSONL and a JSON array of the same values give the same values."""
    folder = tmp_path_factory.mktemp("same")
    lines = b"".join(json.dumps(item).encode() + b"\n" for item in items)
    forms = (lines, gzip.compress(lines), json.dumps(items, indent=1).encode())

    found = [[value for _, value in _read(folder / "records", data)[0]] for data in forms]

    assert found == [items, items, items]


@given(data=st.binary(max_size=300) | st.text(alphabet='{}[]",:a1\\\n ', max_size=60).map(str.encode))
def test_no_bytes_make_it_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever a file holds: records, faults, or both, and never an exception."""
    records, faults = _read(tmp_path_factory.mktemp("any") / "records", data)

    assert records or faults or data.strip().replace(b" ", b"").replace(b"\n", b"") in {b"[]", b""}


def test_only_the_first_faults_are_kept_and_all_are_counted(file: Path) -> None:
    """A file of rubbish costs no memory for its faults."""
    file.write_bytes(b"x\n" * (MAX_KEPT + 50))
    faults = FaultLog()

    assert list(read_records(file, faults)) == []
    assert len(faults) == MAX_KEPT + 50
    assert len(faults.kept) == MAX_KEPT


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "null byte"])
def test_what_is_no_file_is_an_error_at_once(tmp_path: Path, kind: str) -> None:
    """A missing file, a folder, a pipe that nobody writes to: an error that names it, and no waiting."""
    path = tmp_path / ("x\0" if kind == "null byte" else "x")
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)

    with pytest.raises(InputError, match="can't be read"):
        list(read_records(path, FaultLog()))


_HUGE_LINE = """
import resource, sys
from pathlib import Path
from codegen_eval.fault import FaultLog
from codegen_eval.record import read_records
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
faults = FaultLog()
records = list(read_records(Path(sys.argv[1]), faults))
print(len(records), [fault.line for fault in faults], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
def test_a_line_of_80_mb_is_skipped_without_being_held(file: Path) -> None:
    """A line beyond the limit is a fault of its own; it is never held as a whole, and the lines around it are read."""
    with file.open("wb") as out:
        out.write(GOOD + b'\n{"completion": "')
        for _ in range(80):
            out.write(b"x" * 1_000_000)
        out.write(b'"}\n' + GOOD + b"\n")

    run = subprocess.run([sys.executable, "-c", _HUGE_LINE, str(file)], capture_output=True, text=True, check=True)
    count, lines, kib = run.stdout.replace("[2]", "2").split()

    assert (count, lines) == ("2", "2")
    unit = 1024 if sys.platform == "darwin" else 1
    assert int(kib) // unit < 200_000
