"""Say which sources do not compile, for many at once, in a child process with limits.

The compiler is no match for hostile text: deep nesting has crashed it, and it may take much memory. So it never runs
here. One child compiles source after source and answers each as it is found; what ends the child costs only the source
that it was at, which then counts as *not known*: a sandbox will tell. Nothing is ever executed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

MAX_BATCH_BYTES = 16 << 20
"""Source in one child. A larger one goes alone."""
CPU_SECONDS = 10
"""For one source, thousand times what an honest one needs; what is spent on others is not counted."""
WALL_SECONDS = 60.0
"""For one child and each megabyte that it gets."""
MAX_MESSAGE = 200

_CHILD = """
import signal, sys
sys.setrecursionlimit(1000)
while size := sys.stdin.buffer.readline():
    source = sys.stdin.buffer.read(int(size))
    try:
        signal.setitimer(signal.ITIMER_PROF, %d)
    except (AttributeError, OSError):
        pass
    try:
        compile(source.decode("utf-8", "surrogatepass"), "solution.py", "exec", dont_inherit=True)
        answer = ""
    except SyntaxError as exc:
        answer = f"line {exc.lineno}: {exc.msg}"
    except (ValueError, OverflowError, RecursionError, MemoryError) as exc:
        answer = type(exc).__name__
    sys.stdout.write(ascii(answer)[1:-1] + "\\n")
    sys.stdout.flush()
"""


def find_syntax_errors(sources: Sequence[str]) -> tuple[str | None, ...]:
    """Return, for each source in its place, why it does not compile, as `line 3: invalid syntax`.

    None where it compiles, and where the compiler exceeds its limits before it has an answer. The words are those of
    the Python that runs this program and differ from version to version: they are for people, not for results.

    Raises:
        OSError: no process can be started here.
    """
    answers: list[str | None] = []
    for batch in _batches(sources):
        left = batch
        while left:
            found = _compile(left)[: len(left)]
            answers += found
            left = left[len(found) :]
            if left:  # the child ended at this one
                answers.append(None)
                left = left[1:]
    return tuple(answers)


def _batches(sources: Sequence[str]) -> Iterator[tuple[bytes, ...]]:
    batch: list[bytes] = []
    size = 0
    for source in sources:
        packed = source.encode("utf-8", "surrogatepass")
        if batch and size + len(packed) > MAX_BATCH_BYTES:
            yield tuple(batch)
            batch, size = [], 0
        batch.append(packed)
        size += len(packed)
    if batch:
        yield tuple(batch)


def _compile(batch: Sequence[bytes]) -> list[str | None]:
    """Return the answers of one child: fewer than there are sources where it ended early."""
    from codegen_eval.layers.lint.child import ChildLimits, private_directory, run_child

    asked = b"".join(b"%d\n%s" % (len(packed), packed) for packed in batch)
    limits = ChildLimits(
        wall_seconds=WALL_SECONDS * (1 + (len(asked) >> 20)),
        cpu_seconds=CPU_SECONDS * (1 + len(batch)),
        output_bytes=len(batch) << 10,
    )
    command = (sys.executable, "-I", "-S", "-W", "ignore", "-c", _CHILD % CPU_SECONDS)
    with private_directory() as directory:
        end = run_child(command, directory, asked, limits)
    lines = end.output.decode("ascii", "replace").split("\n")[:-1]  # what follows the last line end is half an answer
    return [line[:MAX_MESSAGE] or None for line in lines]
