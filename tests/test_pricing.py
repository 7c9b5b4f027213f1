"""Laws of the price table."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.errors import InputError
from codegen_eval.pricing import load_prices

_TOKENS = st.integers(0, 10**9)
_PRICES = load_prices()


@given(st.sampled_from(sorted(_PRICES.models)), _TOKENS, _TOKENS, _TOKENS)
def test_costs_are_exact(model: str, given_tokens: int, written: int, cached: int) -> None:
    """A cost is tokens times price with no rounding, in every listed model."""
    listed = _PRICES.models[model]
    price = listed.long_prompt if listed.long_prompt and given_tokens + cached > listed.long_prompt.above else listed

    cost = _PRICES.cost(model, given_tokens, written, cached_tokens=cached)

    assert cost is not None
    assert cost * 1_000_000 == given_tokens * price.input + written * price.output + cached * price.cached


def test_an_unknown_model_has_no_price() -> None:
    """The price of a model that is not listed is never guessed."""
    assert _PRICES.cost("claude-unheard-of", 1, 1) is None


def test_a_release_date_does_not_change_the_price() -> None:
    assert _PRICES.cost("claude-haiku-4-5-20251001", 10**6, 10**6) == Decimal(6)


def test_the_mock_model_is_priced_as_the_model_it_names() -> None:
    """The mock model has the proportions of a model that exists."""
    assert _PRICES.price("mock") == _PRICES.price("claude-sonnet-5-5")


def test_a_long_prompt_has_prices_of_its_own() -> None:
    """The prompt's length, cached part included, decides which prices hold for the whole call."""
    assert _PRICES.cost("claude-haiku-5-5", 100_000, 0) == Decimal("0.01")
    assert _PRICES.cost("claude-haiku-5-5", 100_000, 0, cached_tokens=1) == Decimal("0.05000005")


def test_reading_the_cache_is_never_dearer() -> None:
    assert all(price.cached <= price.input <= price.output for price in _PRICES.models.values())


def test_a_table_of_ones_own_replaces_the_shipped_one(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('as_of = "2030-01-01"\n[models.mine]\ninput = "0.1"\noutput = "0.2"\ncached = "0"\n', "utf-8")

    prices = load_prices(path)

    assert prices.cost("mine", 3, 1) == Decimal("0.0000005")
    assert prices.cost("mock", 1, 1) is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("as_of =", "is not TOML"),
        ('as_of = "2030-01-01"\n[models.m]\ninput = "-1"\noutput = "0"\ncached = "0"', r"models\.m\.input"),
        ('as_of = "2030-01-01"\n[models.m]\ninput = "NaN"\noutput = "0"\ncached = "0"', r"models\.m\.input"),
        (
            'as_of = "2030-01-01"\n[models.m]\ninput = "1"\nouput = "0"\ncached = "0"',
            r"models\.m\.out.*models\.m\.ouput",
        ),
    ],
)
def test_a_broken_table_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    """Every fault of a table is named with its place."""
    path = tmp_path / "prices.toml"
    path.write_text(text, "utf-8")

    with pytest.raises(InputError, match=complaint):
        load_prices(path)


def test_a_table_is_read_within_bounds(tmp_path: Path) -> None:
    """Neither a device, a pipe, a huge file nor a deep one holds us up."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").write_bytes(b"#" * (2 << 20))
    (tmp_path / "deep").write_text("a=" + "[" * 3000)

    for path in (Path("/dev/zero"), tmp_path / "pipe", tmp_path / "huge", tmp_path / "deep"):
        with pytest.raises(InputError, match=path.name):
            load_prices(path)


def test_a_missing_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        load_prices(tmp_path / "prices.toml")
