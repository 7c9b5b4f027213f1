"""What calls cost: a dated table of list prices, and exact arithmetic on it."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

from pydantic import Field, ValidationError

from codegen_eval.errors import InputError
from codegen_eval.frozen import Frozen
from codegen_eval.record import open_regular

_MILLION = -6
"""Power of ten that turns a price per million into a price per token."""
_MAX_BYTES = 1 << 20
_RELEASE_DATE = re.compile(r"-20[0-9]{6}$")


class Price(Frozen):
    """US dollars per million tokens."""

    input: Decimal = Field(ge=0, allow_inf_nan=False)
    output: Decimal = Field(ge=0, allow_inf_nan=False)
    cached: Decimal = Field(ge=0, allow_inf_nan=False)
    """Input tokens that the provider read from its cache."""


class LongPromptPrice(Price):
    """The prices of a call whose prompt is long."""

    above: int = Field(gt=0)
    """They hold for prompts of more tokens than this."""


class ModelPrice(Price):
    """The prices of one model."""

    long_prompt: LongPromptPrice | None = None


class PriceTable(Frozen):
    """List prices by model, as they were on a day."""

    as_of: date
    source: str = ""
    models: dict[str, ModelPrice]

    def price(self, model: str) -> ModelPrice | None:
        """Return the prices of a model, with or without the date of its release; None where they are unknown."""
        return self.models.get(model) or self.models.get(_RELEASE_DATE.sub("", model))

    def cost(self, model: str, input_tokens: int, output_tokens: int, *, cached_tokens: int = 0) -> Decimal | None:
        """Return the exact price of one call in US dollars; None where the model's price is unknown.

        `cached_tokens` are input tokens read from a cache, beside and not among `input_tokens`.
        """
        found = self.price(model)
        if found is None:
            return None
        price: Price = found
        if found.long_prompt is not None and input_tokens + cached_tokens > found.long_prompt.above:
            price = found.long_prompt
        millionths = price.input * input_tokens + price.output * output_tokens + price.cached * cached_tokens
        return millionths.scaleb(_MILLION)

    def bound(self, model: str, input_tokens: int, output_tokens: int) -> Decimal | None:
        """Return the most that a call can cost which has at most so many tokens; None where the price is unknown.

        A long prompt may turn out a short one, and each token may be read from a cache or not: the dearest counts.
        """
        found = self.price(model)
        if found is None:
            return None
        possible: list[Price] = [found]
        if found.long_prompt is not None and input_tokens > found.long_prompt.above:
            possible.append(found.long_prompt)
        millionths = max(max(p.input, p.cached) * input_tokens + p.output * output_tokens for p in possible)
        return millionths.scaleb(_MILLION)


def load_prices(path: Path | None = None) -> PriceTable:
    """Read a price table; the shipped one where no path is given.

    Raises:
        InputError: the file is missing or does not validate.
    """
    name = str(path) if path else "prices.toml"
    try:
        text = _read(path) if path else files("codegen_eval").joinpath("prices.toml").read_text("utf-8")
        return PriceTable.model_validate(tomllib.loads(text))
    except RecursionError as exc:
        raise InputError(f"price table `{name}` is nested too deeply") from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise InputError(f"price table `{name}` is not TOML: {exc}") from exc
    except ValidationError as exc:
        faults = "; ".join(f"`{'.'.join(map(str, e['loc']))}`: {e['msg']}" for e in exc.errors(include_url=False))
        raise InputError(
            f"price table `{name}` does not validate: {faults}", hint='write prices as strings: `input = "3.00"`'
        ) from exc


def _read(path: Path) -> str:
    try:
        with open_regular(path) as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as exc:
        raise InputError(f"price table `{path}` can't be read: {exc.strerror}") from exc
    if len(data) > _MAX_BYTES:
        raise InputError(f"price table `{path}` is larger than {_MAX_BYTES >> 20} MiB")
    return data.decode("utf-8")
