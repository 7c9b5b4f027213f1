"""How samples become programs: by rules with names, each of which applies where it says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.datasets import Dataset, Problem, read_dataset
from codegen_eval.samples import AssemblyRule, Sample, SampleKind, assemble, default_rule, other_programs, read_samples
from codegen_eval.solution import Outcome

DATA = Path(__file__).parent.parent / "data"
BODY = "    return sorted(set(l))\n"
WHOLE = f"def unique(l):\n{BODY}"


@pytest.fixture(scope="module")
def humaneval() -> Iterator[Dataset]:
    """Give four problems of HumanEval: 34, 38, 64 and 116."""
    with read_dataset(f"humaneval={DATA / 'datasets' / 'humaneval.jsonl'}") as dataset:
        yield dataset


@pytest.fixture(scope="module")
def mbpp() -> Iterator[Dataset]:
    """Give five problems of MBPP."""
    with read_dataset(f"mbpp={DATA / 'datasets' / 'mbpp.jsonl'}") as dataset:
        yield dataset


def _sample(text: str, kind: SampleKind = SampleKind.COMPLETION, problem: str = "HumanEval/34") -> Sample:
    return Sample(task_id=problem, index=0, text=text, kind=kind, path="samples.jsonl", line=1)


def _others(problem: Problem, text: str, kind: SampleKind = SampleKind.COMPLETION) -> dict[AssemblyRule, str]:
    return {program.rule: program.source for program in other_programs(problem, _sample(text, kind))}


@given(text=st.text())
def test_a_completion_stands_after_its_prompt(humaneval: Dataset, text: str) -> None:
    """HumanEval's own rule, which counts unless another is asked for: the prompt, and then the completion as it is."""
    problem = humaneval.problems["HumanEval/34"]
    program = assemble(problem, _sample(text))

    assert program.rule is AssemblyRule.OFFICIAL
    assert program.source == problem.prompt + text.replace("\r\n", "\n").replace("\r", "\n")


def test_a_solution_is_a_program_as_it_is(humaneval: Dataset, mbpp: Dataset) -> None:
    """A solution, and an answer to a description, are programs of their own."""
    solution = assemble(humaneval.problems["HumanEval/34"], _sample(WHOLE, SampleKind.SOLUTION))
    answer = assemble(mbpp.problems["MBPP/502"], _sample("def find(n, m):\r\n    return n % m\r\n", problem="MBPP/502"))

    assert (solution.source, solution.rule) == (WHOLE, AssemblyRule.AS_IS)
    assert (answer.source, answer.rule) == ("def find(n, m):\n    return n % m\n", AssemblyRule.AS_IS)


def test_a_completion_that_defines_the_entry_point_can_stand_alone(humaneval: Dataset) -> None:
    """Where a completion defines the entry point, it can stand after the prompt's imports and helpers alone."""
    problem = humaneval.problems["HumanEval/38"]
    whole = "def decode_cyclic(s: str):\n    return encode_cyclic(encode_cyclic(s))\n"

    assert _others(problem, whole)[AssemblyRule.STANDALONE] == problem.preamble + whole
    assert AssemblyRule.STANDALONE not in _others(problem, "    return encode_cyclic(encode_cyclic(s))\n")
    assert AssemblyRule.STANDALONE not in _others(problem, '    "def decode_cyclic(s)"\n    # decode_cyclic = 1\n')


def test_a_lost_indentation_can_be_put_back(humaneval: Dataset) -> None:
    """A first line that lost its indentation is moved right under the rule of that name, and compiles."""
    problem = humaneval.problems["HumanEval/34"]
    for sample in read_samples(DATA / "samples" / "dedented.jsonl", humaneval.problems):
        with pytest.raises(SyntaxError):
            compile(assemble(problem, sample).source, "<program>", "exec", dont_inherit=True)
        mended = assemble(problem, sample, AssemblyRule.INDENTED)
        compile(mended.source, "<program>", "exec", dont_inherit=True)

        assert mended.source == f"{problem.prompt}    {sample.text}"


@pytest.mark.parametrize("text", ["", BODY, WHOLE, "return 1\nprint(2)", "@cache\n    def f(): ...", "\n    return 1"])
def test_indentation_is_put_back_where_only_the_first_line_lost_it(humaneval: Dataset, text: str) -> None:
    """The rule does not apply to what is no body, or is indented: that is read as it would be without it."""
    problem = humaneval.problems["HumanEval/34"]

    assert assemble(problem, _sample(text), AssemblyRule.INDENTED) == assemble(problem, _sample(text))


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('    x = 1\\n    return \\"a\\"', '    x = 1\n    return "a"'),
        (f"'''\n{BODY}'''", f"\n{BODY}"),
        ('"    return 1"', "    return 1"),
        ('"    a = 1\\n    return a"', "    a = 1\n    return a"),
    ],
)
def test_escapes_can_be_put_back(humaneval: Dataset, text: str, mended: str) -> None:
    """Line ends written as backslash and n, and quotes round the whole, are undone by the rule of that name."""
    problem = humaneval.problems["HumanEval/34"]

    assert _others(problem, text)[AssemblyRule.UNESCAPED] == problem.prompt + mended


@pytest.mark.parametrize("text", ["", '"', "''", BODY, '    return "\\n".join(l)\n    # x', '"a" + f("b")', "'a' 'b'"])
def test_escapes_of_a_program_are_left_alone(humaneval: Dataset, text: str) -> None:
    """What has line ends of its own and no quotes round it is a program, whose escapes mean something."""
    problem = humaneval.problems["HumanEval/34"]

    assert _others(problem, text).get(AssemblyRule.UNESCAPED, problem.prompt) == problem.prompt


def test_a_reply_gives_its_code_with_the_helpers_of_the_prompt(humaneval: Dataset) -> None:
    """From a raw reply the code is extracted, and the rule that found it kept; imports and helpers stand before it."""
    problem = humaneval.problems["HumanEval/38"]
    whole = "def decode_cyclic(s: str):\n    return s\n"
    program = assemble(problem, _sample(f"Here:\n\n```python\n{whole}```\n", SampleKind.RAW))
    refused = assemble(problem, _sample("I can't do that.", SampleKind.RAW))

    assert (program.source, program.rule, program.extraction) == (
        problem.preamble + whole,
        AssemblyRule.EXTRACTED,
        "fence",
    )
    assert (refused.source, refused.outcome) == ("", Outcome.NO_CODE)
    assert default_rule(problem, _sample("", SampleKind.RAW)) is AssemblyRule.EXTRACTED


@pytest.mark.parametrize(
    "body",
    [
        "    return sorted(set(l))\n",
        "    found = set(l)\n    return sorted(found)\n",
        "    def key(x):\n        return x\n\n    return sorted(set(l), key=key)\n",
        "    for item in [sorted(set(l))]:\n        return item\n",
        "    yield from l\n",
        "    def distinct():\n        return set(l)\n\n    while True:\n        return sorted(distinct())\n",
    ],
)
def test_a_body_in_a_fence_goes_on_with_the_prompt(humaneval: Dataset, body: str) -> None:
    """A body loses its indentation where it is cut out of a reply, and gets it back behind the prompt."""
    problem = humaneval.problems["HumanEval/34"]
    program = assemble(problem, _sample(f"Here:\n\n```python\n{body}```\n", SampleKind.RAW))

    assert program.source.rstrip("\n") == (problem.prompt + body).rstrip("\n")


def test_imports_of_older_harnesses_are_a_rule_of_their_own(mbpp: Dataset) -> None:
    """Imports that a harness added stand before a program only under the rule of that name."""
    problem = mbpp.problems["MBPP/502"]
    program = assemble(problem, _sample("def find(n, m): ...\n"), AssemblyRule.IMPORTS)

    assert program.source.endswith("\ndef find(n, m): ...\n")
    assert "import math\n" in program.source


@given(text=st.text(alphabet="def unique(l):\n    return\\n\"'`1", max_size=60), kind=st.sampled_from(SampleKind))
def test_other_programs_are_others(humaneval: Dataset, text: str, kind: SampleKind) -> None:
    """Other rules give programs that differ from the one that counts and from each other; asking for one gives it."""
    problem = humaneval.problems["HumanEval/34"]
    sample = _sample(text, kind)
    programs = [assemble(problem, sample), *other_programs(problem, sample)]

    assert len({program.source for program in programs}) == len(programs)
    assert all(assemble(problem, sample, program.rule) == program for program in programs)
