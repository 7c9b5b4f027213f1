"""Start the supervisor: `python3 -I -S <this directory>`, then options, each with a value.

`--workdir DIR` is where workers may write, `--uid N` whom they become. Where no control group limits the sandbox the
guest does: `--memory-mib N`, and `--max-processes N` where a user of its own or a user namespace counts them apart,
`--watch-processes N` where nothing does. `--cpu-slack-ms N`, for each process, is for kernels where starting is dear.
`--without FENCE,…` leaves fences out, to show that an attack works where they are off.
"""

from __future__ import annotations

import os
import sys

import limits
import supervisor


def _option(name: str, default: str) -> str:
    """Return the word after `name` on the command line."""
    argv = sys.argv
    return argv[argv.index(name) + 1] if name in argv else default


if __name__ == "__main__":
    supervisor.Supervisor(
        workdir=_option("--workdir", "/tmp/work"),  # noqa: S108 - the sandbox's own tmpfs
        uid=int(_option("--uid", "-1")),
        limits=limits.Limits(
            memory_mib=int(_option("--memory-mib", "0")),
            max_processes=int(_option("--max-processes", "0")),
            watch_processes=int(_option("--watch-processes", "0")),
            cpu_slack_ms=int(_option("--cpu-slack-ms", "0")),
        ),
        without=frozenset(filter(None, _option("--without", "").split(","))),
    ).serve()
    os._exit(0)  # there is nothing to flush, and a container ends sooner without the interpreter's tidying
