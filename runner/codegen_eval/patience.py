"""How much longer than usual a second try waits."""

from __future__ import annotations

import os

_COMPUTING = 6.0
"""For what computes: its CPU budget should decide, whatever the load."""
PAUSES = (0.0, 3.0)
"""Seconds before a layer is run again, with nothing else of ours running.

Once for load, sleep, deadlock or a sandbox in disorder; and once more where that sandbox is lost as well, as while an
engine starts anew. Then it counts.
"""
MOST = 20.0
"""However loaded the machine is."""


def second_try(*, starved: bool) -> float:
    """Return the factor for the wall limits of a second try.

    On a machine with many more things to run than cores a process may get no CPU time for seconds, and looks like one
    that sleeps. So the load per core, as the machine tells it, is the least; on a quiet machine it makes no difference.
    """
    try:
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        load = 1.0
    return min(max(_COMPUTING if starved else 1.0, load), MOST)
