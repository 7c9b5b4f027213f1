"""The law of the allocator: what many threads have read and dropped is not kept."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import sys
from threading import Barrier, Thread
from codegen_eval.allocator import keep_memory_flat

def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) // 1024

def read_answers(together, kept):
    for _ in range(6):
        together.wait()
        body = bytearray()
        while len(body) < 7 << 20:
            body += b"x" * (256 << 10)
        text = body.decode()
        del body
        kept.append(text[:2000])

if sys.argv[1] == "flat" and not keep_memory_flat():
    print("unavailable")
    sys.exit()
before, kept, together = resident(), [], Barrier(8)
threads = [Thread(target=read_answers, args=(together, kept)) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(resident() - before)
"""


def grown(how: str) -> str:
    """Return by how many MiB a process is larger after reading, and dropping, 48 answers of 7 MiB in 8 threads."""
    command = [sys.executable, "-c", _PROGRAM, how]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_threads_have_dropped_goes_back() -> None:
    flat = grown("flat")
    if flat == "unavailable":
        pytest.skip("another C library")

    assert int(flat) < 8
    assert int(grown("left alone")) > int(flat)
