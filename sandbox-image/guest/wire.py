"""What supervisor and host both know: the frame headers, kinds and numbers.

Its counterpart on the host is `codegen_eval/sandbox/wire.py`; a contract test holds them together.
"""

from __future__ import annotations

import struct

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

# host to supervisor
SPAWN = 1
TO_WORKER = 2
END = 3
# supervisor to host
READY = 1
FROM_WORKER = 2
ENDED = 3
TAKEN = 4

# reasons in ENDED
CLOSED = 0
EXITED = 1
KILLED = 2
OUT_OF_MEMORY = 3
CPU = 4
OUTPUT = 5

FRAME = struct.Struct("!I")
"""Between host and worker: length of the JSON message that follows."""

UP = b'\x00\x00\x00\x08{"up":1}'
"""The frame that a worker sends first, before it is given any source: what goes wrong until then is not its fault."""
