"""What a session of a run is bound to beside the request: where its calls go, and what they may cost.

The ledger keeps it, so that a resume spends no more, and nowhere else, than the session before, unless it is told to.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from pydantic import ValidationError

from codegen_eval.errors import InputError, LedgerError
from codegen_eval.frozen import Frozen
from codegen_eval.ledger import Ledger
from codegen_eval.models import Model
from codegen_eval.models.fault import without_secrets
from codegen_eval.models.patience import PatientModel
from codegen_eval.run_request import Means

_OF_MODELS, _OF_REVIEWER = "--base-url", "--reviewer-base-url"


class Session(Frozen):
    """One session. No address in it has a user, a password or a query."""

    budget_usd: Decimal | None = None
    base_url: str | None = None
    """As the option names it; None where it was not given."""
    reviewer_base_url: str | None = None
    address: str | None = None
    """Where calls went, by whatever that was said. None where it is not known, or nobody was asked."""
    reviewer_address: str | None = None
    hidden: tuple[str, ...] = ()
    """The options whose address had parts that are not kept."""

    @classmethod
    def of(cls, means: Means, model: Model, reviewer: Model | None) -> Session:
        """Return what a session with these means is bound to."""
        given = {_OF_MODELS: means.base_url, _OF_REVIEWER: means.reviewer_base_url}
        return cls(
            budget_usd=means.budget_usd,
            base_url=without_secrets(means.base_url),
            reviewer_base_url=without_secrets(means.reviewer_base_url),
            address=_address(model),
            reviewer_address=_address(reviewer),
            hidden=tuple(option for option, url in given.items() if url != without_secrets(url)),
        )

    def resumed(self, means: Means, *, lift_budget: bool = False) -> Means:
        """Return the means of a session that goes on after this one: what is not given anew is as it was.

        Raises:
            InputError: an address is not given anew, and was not kept whole.
        """
        for option, url in ((_OF_MODELS, means.base_url), (_OF_REVIEWER, means.reviewer_base_url)):
            if url is None and option in self.hidden:
                raise InputError(
                    f"the run was begun with an address in `{option}` that held credentials, which are not kept",
                    hint=f"give `{option}` again",
                )
        kept = None if lift_budget else self.budget_usd
        return replace(
            means,
            budget_usd=kept if means.budget_usd is None else means.budget_usd,
            base_url=means.base_url or self.base_url,
            reviewer_base_url=means.reviewer_base_url or self.reviewer_base_url,
        )

    def require_same_place(self, now: Session) -> None:
        """Refuse a session that would ask elsewhere because the environment has changed.

        Raises:
            InputError: it would. An address that an option names is meant.
        """
        places = (
            (_OF_MODELS, now.base_url, self.address, now.address),
            (_OF_REVIEWER, now.reviewer_base_url, self.reviewer_address, now.reviewer_address),
        )
        for option, given, before, after in places:
            if given is None and None not in {before, after} and before != after:
                raise InputError(
                    f"the run has asked at `{before}`, and would go on at `{after}`",
                    hint=f"name the one that is meant with `{option}`, or set the environment as it was",
                )


def read_session(ledger: Ledger, path: Path) -> Session | None:
    """Return the last session of a run; None where it asked nobody, or is of a version that kept none.

    Raises:
        LedgerError: what is kept is not that.
    """
    found = ledger.last_session()
    try:
        return None if found is None else Session.model_validate(found)
    except ValidationError as exc:
        raise LedgerError(
            f"ledger `{path}` is damaged: a session of it is none", hint="move it away and start the run again"
        ) from exc


def _address(model: Model | None) -> str | None:
    return without_secrets(model.address) if isinstance(model, PatientModel) else None
