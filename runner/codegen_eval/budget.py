"""A budget: no call begins that could exceed it, whatever else is in flight.

Before a call the most that it can cost is set aside; afterwards what it did cost is booked. Where the rest does not
cover a call, but calls in flight may still leave some of what was set aside for them, the call waits for those.
"""

from __future__ import annotations

import threading
from decimal import Decimal

from codegen_eval.errors import BudgetExhaustedError, InputError, InterruptedRunError
from codegen_eval.models import Request
from codegen_eval.pricing import PriceTable

MESSAGE_OVERHEAD = 64
"""Tokens, at the very most, that a provider adds to a message for its role and its ends."""
CALL_OVERHEAD = 2048
"""Tokens, at the very most, that a provider adds to a call of its own, as for the use of tools."""


class Budget:
    """US dollars that a run may spend. Every method may be called from any thread."""

    def __init__(self, limit: Decimal | None = None, *, spent: Decimal = Decimal(0)) -> None:
        self._limit = limit
        self._spent = spent
        self._set_aside = Decimal(0)
        self._stopped = False
        self._changed = threading.Condition()

    @property
    def spent(self) -> Decimal:
        """What was spent so far, as far as prices are known."""
        with self._changed:
            return self._spent

    def set_aside(self, most: Decimal | None) -> Decimal:
        """Wait until a call that costs at most so much is covered, and keep that for it; return what is kept.

        Raises:
            BudgetExhaustedError: it is not covered, and nothing in flight can change that.
            InputError: its cost has no bound, and there is a limit.
            InterruptedRunError: the budget was stopped.
        """
        with self._changed:
            while not self._stopped:
                if self._limit is None:
                    return Decimal(0)
                if most is None:
                    raise InputError("the price of a call is unknown", hint="leave `--budget-usd` out")
                if self._spent + self._set_aside + most <= self._limit:
                    self._set_aside += most
                    return most
                if not self._set_aside:
                    raise BudgetExhaustedError(
                        f"the budget of ${self._limit} allows no further call: ${self._spent:.4f} are spent, and "
                        f"the next one may cost up to ${most:.4f}",
                    )
                self._changed.wait()
            raise InterruptedRunError("the run was stopped")

    def book(self, kept: Decimal, spent: Decimal | None) -> None:
        """End a call: give back what was kept for it, and count what it did cost; None counts nothing."""
        with self._changed:
            self._set_aside -= kept
            self._spent += spent or Decimal(0)
            self._changed.notify_all()

    def stop(self) -> None:
        """Let no further call begin."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()


def most_tokens(request: Request) -> int:
    """Return how many input tokens a request has at the very most: no token is shorter than a byte."""
    total = CALL_OVERHEAD
    for message in request.messages:
        total += len(message.content.encode("utf-8", "surrogatepass")) + MESSAGE_OVERHEAD
    if request.tool is not None:
        tool = request.tool
        total += len((tool.name + tool.description + tool.parameters).encode("utf-8", "surrogatepass"))
    return total


def most_cost(request: Request, prices: PriceTable) -> Decimal | None:
    """Return what a call can cost at the very most; None where its model's price is unknown."""
    return prices.bound(request.model, most_tokens(request), request.max_tokens)
