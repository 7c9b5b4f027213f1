"""Laws of executing claims, over two real sandboxes: what is confirmed, what is refuted, and what shows nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from codegen_eval.interfaces import EndReason, Sandbox
from codegen_eval.judge.bench import Bench, Settings
from codegen_eval.judge.claims import Claims
from codegen_eval.review.claim import Claim, ClaimedFile
from codegen_eval.sandbox.process import ProcessProvider
from codegen_eval.task import Case, Task
from codegen_eval.task_loader import find_task
from codegen_eval.verdict import CheckedClaim, ClaimOutcome, FailureClass, LayerResult, Verdict
from factories import make_solution, make_task

CONFIRMED, REFUTED, UNVERIFIABLE = ClaimOutcome.CONFIRMED, ClaimOutcome.REFUTED, ClaimOutcome.UNVERIFIABLE
Check = Callable[..., LayerResult]


def claim(
    call: str | None,
    *,
    failure_class: FailureClass = FailureClass.WRONG_LOGIC,
    files: Mapping[str, str | None] | None = None,
) -> Claim:
    """Return a claim."""
    return Claim.model_validate(
        {
            "class": failure_class,
            "summary": "it is wrong",
            "call": call,
            "files": tuple(ClaimedFile(path=path, content=content) for path, content in (files or {}).items()),
        }
    )


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[tuple[Sandbox, Sandbox]]:
    """Give two subprocess sandboxes, for the solution and for the reference."""
    provider = ProcessProvider(memory_mib=256)
    opened = provider.open(), provider.open()
    yield opened
    for sandbox in opened:
        sandbox.close()
    provider.close()


@pytest.fixture
def check(sandboxes: tuple[Sandbox, Sandbox]) -> Check:
    """Give a function that checks claims about a solution of a task."""

    def run(task: str | Task, source: str, *claims: Claim, wall_seconds: float = 2.0) -> LayerResult:
        found = find_task(task)[0] if isinstance(task, str) else task
        settings = Settings(wall_seconds=wall_seconds, cpu_seconds=1.0)
        bench, reference = (
            Bench(sandbox=sandbox, task=found, solution=make_solution(task=found.id, source=code), settings=settings)
            for sandbox, code in zip(sandboxes, (source, found.reference), strict=True)
        )
        return Claims(bench, reference, claims).run()

    return run


def only(result: LayerResult) -> CheckedClaim:
    """Return the one claim of a result, which fails exactly where it is confirmed."""
    (found,) = result.claims
    assert (result.verdict is Verdict.FAIL) == (found.outcome is CONFIRMED) == bool(result.findings)
    return found


OFF_BY_ONE = "def fizzbuzz(n):\n    return [str(i) for i in range(1, n)]\n"


def test_a_difference_confirms(check: Check) -> None:
    """The finding names the input, what came back and what the reference says, under the class that was claimed."""
    result = check("fizzbuzz", OFF_BY_ONE, claim("fizzbuzz(2)", failure_class=FailureClass.MISSED_EDGE_CASE))

    assert only(result).outcome is CONFIRMED
    (finding,) = result.findings
    assert (finding.input, finding.actual, finding.expected) == ("2", "['1']", "['1', '2']")
    assert (finding.check, finding.failure_class) == ("claim-1", FailureClass.MISSED_EDGE_CASE)


def test_claims_are_judged_one_by_one(check: Check) -> None:
    """Each has an outcome of its own, in the order in which they were made."""
    result = check("fizzbuzz", OFF_BY_ONE, claim("fizzbuzz(0)"), claim("fizzbuzz(1)"), claim(None), claim("nonsense"))

    assert [one.outcome for one in result.claims] == [REFUTED, CONFIRMED, UNVERIFIABLE, UNVERIFIABLE]
    assert [finding.check for finding in result.findings] == ["claim-2"]


def test_a_solution_may_name_its_parameters_otherwise(check: Check) -> None:
    """What a claim gives by name is passed by position, as cases pass it."""
    source = find_task("fizzbuzz")[0].reference.replace("(n: int)", "(count)").replace("n + 1", "count + 1")

    assert only(check("fizzbuzz", source, claim("fizzbuzz(n=15)"))).outcome is REFUTED


UNASKED = """\
import os, struct
body = b'{"id":7,"r":[]}'
os.write(4, struct.pack('!I', len(body)) + body)
def fizzbuzz(n): return []
"""

DIFFERENT = {
    "another type": ("binary_search", "def binary_search(arr, target): return True", "binary_search([1, 2], 2)"),
    "None": ("binary_search", "def binary_search(arr, target): pass", "binary_search([], 2)"),
    "an exception": ("fizzbuzz", "def fizzbuzz(n): raise ValueError", "fizzbuzz(3)"),
    "no exception": ("moving_average", "def moving_average(values, window): return []", "moving_average([1], 0)"),
    "another exception": (
        "moving_average",
        "def moving_average(values, window): return 1 / 0",
        "moving_average([1], 0)",
    ),
    "a changed argument": (
        "binary_search",
        "def binary_search(arr, target):\n    arr.append(9)\n    return 0",
        "binary_search([1], 1)",
    ),
    "its own exit": ("fizzbuzz", "import os\ndef fizzbuzz(n): os._exit(0)", "fizzbuzz(0)"),
    "an endless loop": ("fizzbuzz", "def fizzbuzz(n):\n    while True: pass", "fizzbuzz(0)"),
    "an object of its own": ("fizzbuzz", "class E(list):\n    pass\ndef fizzbuzz(n): return E()", "fizzbuzz(0)"),
    "one that equals everything": (
        "fizzbuzz",
        "class E:\n    def __eq__(s, o): return True\ndef fizzbuzz(n): return E()",
        "fizzbuzz(0)",
    ),
    "a huge value": ("fizzbuzz", "def fizzbuzz(n): return 'x' * 10**8", "fizzbuzz(0)"),
    "an unasked answer": (
        "fizzbuzz",
        UNASKED,
        "fizzbuzz(0)",
    ),
    "it does not load": ("fizzbuzz", "raise RuntimeError", "fizzbuzz(0)"),
    "it does not compile": ("fizzbuzz", "def fizzbuzz(n: return", "fizzbuzz(0)"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DIFFERENT)
def test_whatever_differs_confirms(check: Check, name: str) -> None:
    """Value, type, exception, changed arguments, and every way not to answer at all."""
    task, source, call = DIFFERENT[name]

    assert only(check(task, source, claim(call))).outcome is CONFIRMED


SAME = {
    "the same exception": (
        "moving_average",
        "def moving_average(values, window):\n    raise UnicodeError('its own words')",
        "moving_average([1], -1)",
    ),
    "within the tolerance": (
        "moving_average",
        "def moving_average(values, window): return [2.0000004]",
        "moving_average([2.0], 1)",
    ),
    "rounding of large values": (
        "safe_calc",
        "def safe_calc(expr): return 1.00000000000001e50",
        "safe_calc('1" + "0" * 50 + "')",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_what_the_cases_would_take_refutes(check: Check, name: str) -> None:
    """A difference that no case of the task would fail is none."""
    task, source, call = SAME[name]

    assert only(check(task, source, claim(call))).outcome is REFUTED


NOTHING = {
    "no call": ("fizzbuzz", None, "no call"),
    "no literal": ("fizzbuzz", "fizzbuzz(int('3'))", "can't be read"),
    "a wrong type": ("fizzbuzz", "fizzbuzz('3')", "not of the type"),
    "too many arguments": ("fizzbuzz", "fizzbuzz(1, 2)", "signature"),
    "too few arguments": ("fizzbuzz", "fizzbuzz()", "the reference raises TypeError"),
    "what the statement leaves open": ("binary_search", "binary_search([2, 1], 1)", "leaves open"),
    "more than the reference can do": ("fizzbuzz", "fizzbuzz(10**8)", "no answer"),
    "an exception that no case asks for": ("has_duplicates", "has_duplicates([[]])", "outside the task"),
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_is_outside_the_task_shows_nothing(check: Check, name: str) -> None:
    """A call that the task does not speak of, or that the reference can't answer, is no evidence; it says why."""
    task, call, reason = NOTHING[name]
    entry_point = find_task(task)[0].text.entry_point

    found = only(check(task, f"def {entry_point}(*args): return 'wrong'", claim(call)))

    assert found.outcome is UNVERIFIABLE
    assert reason in found.reason


def test_a_task_without_expected_answers_shows_nothing(check: Check) -> None:
    """Where no case compares answers, a difference from the reference says nothing."""
    found = only(check(make_task(cases=()), "def double(n): return 0", claim("double(2)")))

    assert (found.outcome, found.reason) == (UNVERIFIABLE, "the task has no cases that compare answers")


def test_a_reference_whose_answers_vary_shows_nothing(check: Check) -> None:
    """A differing answer is asked for again, on both sides."""
    task = make_task(reference="import os\ndef double(n):\n    return int.from_bytes(os.urandom(6), 'big')\n")

    found = only(check(task, "def double(n): return 0", claim("double(2)")))

    assert (found.outcome, found.reason) == (UNVERIFIABLE, "the reference answers in two ways")


@pytest.mark.parametrize("answer", ["[A()]", "'x' * (9 << 20)", "iter([1])"])
def test_a_reference_whose_answer_is_no_plain_value_shows_nothing(check: Check, answer: str) -> None:
    """What only its own code could compare, or what is too large to send, is not compared."""
    task = make_task(reference=f"class A: pass\ndef double(n): return {answer}\n")

    found = only(check(task, "def double(n): return 0", claim("double(2)")))

    assert (found.outcome, found.reason) == (UNVERIFIABLE, "the reference's answer can't be compared")


def test_paths_of_a_sandbox_are_no_difference(check: Check) -> None:
    """Each side has a directory of its own, whose name may be in its answer."""
    task = make_task(reference="import os\ndef double(n): return [os.getcwd(), n]\n")

    assert only(check(task, task.reference, claim("double(2)"))).outcome is REFUTED


def test_a_loose_task_takes_what_is_equal(check: Check) -> None:
    """Where the task's cases compare with `==`, so does the check of claims."""
    task = make_task(cases=(Case("two", (2,), 4, aimed_at=FailureClass.WRONG_LOGIC, loose=True),))

    assert only(check(task, "def double(n): return 2.0 * n", claim("double(2)"))).outcome is REFUTED


def test_each_claim_meets_a_fresh_solution(check: Check) -> None:
    """What one call leaves behind in the module is not there in the next."""
    source = "seen = []\ndef double(n):\n    seen.append(n)\n    return 2 * n if len(seen) == 1 else 0\n"

    result = check(make_task(), source, claim("double(1)"), claim("double(2)"))

    assert [one.outcome for one in result.claims] == [REFUTED, REFUTED]


def test_files_are_made_for_both(check: Check) -> None:
    """A claim may name files, which both sides find in their current directory."""
    hidden = "import os\ndef list_files(directory): return sorted(f for f in os.listdir(directory) if f[0] != '.')\n"
    files = {"d/.x": "", "d/y": "text", "d/z": None}

    result = check(
        "list_files",
        hidden,
        claim("list_files('d')", files=files),
        claim("list_files('d')", files={"d/y": ""}),
        claim("list_files('d')", files={"../y": ""}),
    )

    assert [one.outcome for one in result.claims] == [CONFIRMED, REFUTED, UNVERIFIABLE]
    assert result.findings[0].expected == "['.x', 'y']"


QUADRATIC = """\
def has_duplicates(items):
    return any(a == b for i, a in enumerate(items) for b in items[:i])
"""


def test_slowness_confirms_a_performance_trap(check: Check) -> None:
    """The budget is that of the task's performance cases: a multiple of what the reference takes on the same call."""
    slow = "has_duplicates(list(range(20000)))"
    quick = "has_duplicates(list(range(100)))"
    trap = FailureClass.PERFORMANCE_TRAP

    result = check(
        "has_duplicates", QUADRATIC, claim(slow, failure_class=trap), claim(quick, failure_class=trap), wall_seconds=60
    )

    assert [one.outcome for one in result.claims] == [CONFIRMED, REFUTED]
    assert result.findings[0].ended is EndReason.CPU


@pytest.mark.slow
def test_no_more_than_three_claims_may_hang(check: Check) -> None:
    """Where claims have spent the time of three, the rest are not tried, and are not held against the solution."""
    source = "def fizzbuzz(n):\n    while n: pass\n    return []\n"

    result = check("fizzbuzz", source, *(claim(f"fizzbuzz({n})") for n in (1, 2, 3, 4, 0)))

    assert [one.outcome for one in result.claims] == [CONFIRMED] * 3 + [UNVERIFIABLE] * 2


def test_the_words_of_a_model_are_escaped(check: Check) -> None:
    """Control characters of a claim stand escaped in what is recorded."""
    one = claim("fizzbuzz('\x1b[31m\u202e')").model_copy(update={"summary": "red \x1b[31m\n"})

    found = only(check("fizzbuzz", OFF_BY_ONE, one))

    assert (found.summary, found.input) == (r"red \x1b[31m\n", r"fizzbuzz('\x1b[31m\u202e')")
