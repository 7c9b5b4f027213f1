"""Laws of the house style that no linter holds."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("runner", "sandbox-image/guest", "tasks", "tests", "benchmarks")
MOST_LINES = 400


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    """A Python file of ours has at most 400 lines; one that needs more holds two things and is split."""
    lines = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
    }

    assert all(any(name.startswith(f"{folder}/") for name in lines) for folder in FOLDERS)
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}
