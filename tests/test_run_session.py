"""What a session of a run is bound to, and what the next one keeps of it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.errors import InputError
from codegen_eval.ledger import Ledger
from codegen_eval.models.mock import MockModel
from codegen_eval.models.provider import make_model
from codegen_eval.run_request import Means
from codegen_eval.run_session import Session, read_session

SUMS = st.none() | st.decimals(min_value=0, max_value=1000, places=4)
ADDRESSES = st.none() | st.sampled_from(["http://a.example/v1", "https://b.example", "http://c.example:8080/x"])
MOCK = MockModel(Path())


@given(SUMS, ADDRESSES, ADDRESSES, SUMS, ADDRESSES, ADDRESSES)
def test_what_is_not_given_anew_is_kept(
    budget: Decimal | None, url: str | None, other: str | None, later: Decimal | None, new: str | None, last: str | None
) -> None:
    """Each option of a resume is its own, or else that of the session before; nothing else of its means changes."""
    before = Means(jobs=1, budget_usd=budget, base_url=url, reviewer_base_url=other)
    given_anew = Means(jobs=3, sandbox="docker", budget_usd=later, base_url=new, reviewer_base_url=last)
    means = Session.of(before, MOCK, None).resumed(given_anew)

    assert means.budget_usd == (budget if later is None else later)
    assert means.base_url == (url if new is None else new)
    assert means.reviewer_base_url == (other if last is None else last)
    assert (means.jobs, means.sandbox) == (3, "docker")


def test_a_budget_is_lifted_where_that_is_asked_for() -> None:
    """And only there."""
    session = Session(budget_usd=Decimal(1))

    assert session.resumed(Means(jobs=1), lift_budget=True).budget_usd is None


@pytest.mark.parametrize(
    ("mode", "variable", "usual"),
    [
        ("claude", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
        ("openai", "OPENAI_BASE_URL", "https://api.openai.com/v1"),
        ("bedrock", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "https://bedrock-runtime.eu-west-1.amazonaws.com"),
    ],
)
def test_an_address_is_known_however_it_was_said(mode: str, variable: str, usual: str) -> None:
    """By option, by variable or by nothing; never with its credentials."""
    keys = {"AWS_ACCESS_KEY_ID": "k" * 16, "AWS_SECRET_ACCESS_KEY": "s" * 20, "AWS_REGION": "eu-west-1"}
    environ = keys | {"ANTHROPIC_API_KEY": "sk-test", "OPENAI_API_KEY": "sk-test"}

    def address(base_url: str | None = None, **more: str) -> str | None:
        model = make_model(mode, base_url=base_url, environ=environ | more)
        return Session.of(Means(jobs=1, base_url=base_url), model, None).address

    assert address() == usual
    assert address(**{variable: "http://localhost:1/x"}) == "http://localhost:1/x"
    assert address("http://me:word@localhost:2/y", **{variable: "http://localhost:1/x"}) == "http://localhost:2/y"


def test_only_an_option_moves_a_run() -> None:
    """Where the place has changed by itself it is refused, for models and for reviewers."""
    before = Session(address="http://a", reviewer_address="http://b")

    before.require_same_place(Session(address="http://a", reviewer_address="http://b"))
    before.require_same_place(Session(address="http://c", base_url="http://c", reviewer_address="http://b"))
    before.require_same_place(Session(address=None, reviewer_address="http://b"))
    with pytest.raises(InputError, match="has asked at `http://a`, and would go on at `http://c`"):
        before.require_same_place(Session(address="http://c", reviewer_address="http://b"))
    with pytest.raises(InputError, match="would go on at `http://c`"):
        before.require_same_place(Session(address="http://a", reviewer_address="http://c"))


def test_credentials_have_to_be_given_again() -> None:
    """They are in no session, and a resume without them is refused."""
    session = Session.of(Means(jobs=1, base_url="https://me:word@a.example/v1"), MOCK, None)

    assert "word" not in session.model_dump_json()
    with pytest.raises(InputError, match="held credentials"):
        session.resumed(Means(jobs=1))
    again = session.resumed(Means(jobs=1, base_url="https://me:word@a.example/v1"))
    assert again.base_url == "https://me:word@a.example/v1"


def test_the_ledger_gives_the_last_session(tmp_path: Path) -> None:
    """However many there were; none where none was recorded, and none of an earlier run."""
    path = tmp_path / "r.ledger"
    with Ledger.open(path, parameters={}) as ledger:
        assert read_session(ledger, path) is None
        for dollars in range(12):
            ledger.begin_session(Session(budget_usd=Decimal(dollars)).model_dump(mode="json"))
    with Ledger.resume(path) as ledger:
        found = read_session(ledger, path)
    with Ledger.open(path, parameters={}, keep_replies=True) as ledger:
        after = read_session(ledger, path)

    assert found == Session(budget_usd=Decimal(11))
    assert after is None
