"""Contracts of EvalPlus: inputs that break them are none of the problem's, whatever a solution does with them."""

from __future__ import annotations

import pytest

from codegen_eval.datasets.problem import InputTests, Problem, PromptForm
from codegen_eval.layers.props import Props
from codegen_eval.suite import Suite
from codegen_eval.suite.differential import contracted
from codegen_eval.verdict import Verdict
from suite_bench import Pair, make_bench

CONTRACT = "\n    assert n >= 0, 'no number of things' # $_CONTRACT_$\n"
HEAD = "def f(n):\n    '''Count.'''\n"


def problem(canonical: str, *, prompt: str = HEAD, contract: str = CONTRACT) -> Suite:
    """Return a problem of EvalPlus."""
    return Suite(
        problem=Problem(
            dataset="humanevalplus",
            id="HumanEval/0",
            line=1,
            prompt=prompt,
            form=PromptForm.CODE,
            entry_point="f",
            canonical=canonical,
            test_form="inputs",
            test_count=2,
        ),
        tests=InputTests(base=("[-3]", "[3]"), plus=("[9]", "[12]"), contract=contract),
    )


@pytest.mark.parametrize(
    ("prompt", "canonical"),
    [
        (HEAD, HEAD + "    return n + 1\n"),
        ("'''Count.'''", "import math\ndef g(n):\n    return n\n\ndef f(n: int) -> int:  # it\n    return g(n) + 1\n"),
    ],
    ids=["behind the prompt", "in the function"],
)
def test_a_canonical_solution_refuses_what_breaks_the_contract(prompt: str, canonical: str) -> None:
    """The assertions are the first that the entry point does."""
    scope: dict[str, object] = {}
    exec(contracted(problem(canonical, prompt=prompt)), scope)  # noqa: S102 - the test's own text

    function = scope["f"]
    assert callable(function)
    assert function(3) == 4
    with pytest.raises(AssertionError, match="no number of things"):
        function(-1)


def test_without_a_contract_it_is_what_it_was() -> None:
    """Also where no place for one is found."""
    canonical = HEAD + "    return n + 1\n"

    assert contracted(problem(canonical, contract="\n")) == canonical
    assert contracted(problem("f = abs\n", prompt="'''Count.'''")) == "f = abs\n"


@pytest.mark.parametrize(("contract", "verdict"), [(CONTRACT, Verdict.PASS), ("", Verdict.FAIL)])
def test_no_input_that_breaks_it_is_held_against_a_solution(sandboxes: Pair, contract: str, verdict: Verdict) -> None:
    """A solution that answers otherwise below zero alone differs only where that may be asked."""
    suite = problem(HEAD + "    return n + 1\n", contract=contract)

    bench = make_bench(suite, "def f(n):\n    return n + 1 if n >= 0 else 0\n", sandboxes)

    assert Props(bench).run().verdict is verdict
