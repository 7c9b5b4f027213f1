"""Problems of public sets that are known to be bad, each with the reason. They are marked and never hidden.

What can be seen by running (a canonical solution that fails, a test that stops nothing) is not listed here: the check
of the references finds it. These are faults of the statement, or of what counts as right.
"""

from __future__ import annotations

_MANY = "several answers are right, and only one is accepted (the set's errata)"
_INTERACTIVE = "it asks for a dialogue with the judge, which the set does not have (its errata)"

_LIVECODEBENCH = {
    **dict.fromkeys(("abc311_c", "abc326_d", "abc327_b", "abc333_e", "abc343_e", "abc362_c"), _MANY),
    **dict.fromkeys(("find-words-containing-character", "find-the-peaks"), _MANY),
    "generate-binary-strings-without-adjacent-zeros": _MANY,
    **dict.fromkeys(("abc337_e", "abc355_e"), _INTERACTIVE),
    "abc350_c": "its test cases are wrong (the set's errata)",
}
_HUMANEVAL = {
    "HumanEval/47": "its prompt says that the median of [-10, 4, 6, 1000, 10, 20] is 15.0; its test wants 8.0",
    "HumanEval/116": "the examples in its prompt sort by value; its test wants them sorted by the number of ones",
}
_DIVISORS = "its statement asks for the sum of all divisors; its tests leave out the number itself"
_MBPPPLUS = {
    "Mbpp/164": "its canonical solution is wrong for squares, so EvalPlus accepts every answer",
    "Mbpp/295": f"{_DIVISORS}, and 0 is accepted everywhere",
    "Mbpp/558": "its statement does not say what the distance of digits is, so two answers are accepted",
    "Mbpp/581": "its statement does not say which height is meant, so two answers are accepted",
}
_KNOWN = {
    "humaneval": _HUMANEVAL,
    "humanevalplus": _HUMANEVAL,
    "mbpp": {"MBPP/295": _DIVISORS},
    "mbppplus": _MBPPPLUS,
    "livecodebench": _LIVECODEBENCH,
}


def known_bad(dataset: str, problem: str, *names: str) -> str | None:
    """Return why a problem of a set is bad, looked up by its id and its other names; None where nothing is known."""
    table = _KNOWN.get(dataset, {})
    return next((table[name] for name in (problem, *names) if name in table), None)
