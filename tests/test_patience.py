"""Laws of how long a second try waits."""

from __future__ import annotations

import os

import pytest

from codegen_eval.patience import second_try


@pytest.mark.parametrize(
    ("load", "starved", "least", "most"),
    [(0.0, False, 1.0, 1.0), (0.0, True, 6.0, 6.0), (10.0, False, 10.0, 10.0), (500.0, True, 20.0, 20.0)],
)
def test_it_follows_the_load(
    monkeypatch: pytest.MonkeyPatch, *, load: float, starved: bool, least: float, most: float
) -> None:
    """On a quiet machine only what had computed gets more time; on a loaded one all get what the load takes away."""
    monkeypatch.setattr(os, "getloadavg", lambda: (load * 2, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    assert least <= second_try(starved=starved) <= most
