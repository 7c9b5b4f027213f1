"""What each format gives: problems with whole programs, and the tests that came with them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.datasets import Dataset, Problem, PromptForm, read_dataset
from codegen_eval.datasets.evalplus import decode_arguments
from codegen_eval.datasets.fields import BadRecordError
from codegen_eval.datasets.livecodebench import PREAMBLE
from codegen_eval.datasets.mbpp import entry_point_of
from codegen_eval.datasets.problem import (
    AssertTests,
    CheckTests,
    Decoding,
    FunctionalTests,
    InputTests,
    Oracle,
    StdinTests,
    UnittestTests,
)
from codegen_eval.errors import DatasetError

DATA = Path(__file__).parent.parent / "data" / "datasets"

FILES = {
    "humaneval": "humaneval.jsonl",
    "humanevalplus": "humanevalplus.jsonl",
    "mbpp": "mbpp.jsonl",
    "mbppplus": "mbppplus.jsonl",
    "bigcodebench": "bigcodebench.jsonl",
    "bigcodebench-instruct": "bigcodebench.jsonl",
    "livecodebench": "livecodebench.jsonl",
    "quixbugs": "quixbugs.jsonl",
    "humanevalfix": "humanevalfix.jsonl",
}


def _read(name: str, file: str | None = None) -> Dataset:
    return read_dataset(f"{name}={DATA / (file or FILES[name])}")


@pytest.mark.parametrize("name", FILES)
def test_every_record_gives_a_problem_and_tests_of_the_form_it_names(name: str) -> None:
    """A file of its own format has no faults; every problem has tests, and both know the same form and set."""
    with _read(name) as dataset:
        problems = list(dataset.problems.values())

        assert list(dataset.faults) == []
        assert len(problems) == len((DATA / FILES[name]).read_text(encoding="utf-8").splitlines())
        for problem in problems:
            assert problem.dataset == name
            assert dataset.tests(problem.id).form == problem.test_form
            assert problem.test_count >= 1


@pytest.mark.parametrize("name", FILES)
def test_whole_programs_compile_and_define_the_entry_point(name: str) -> None:
    """Canonical and buggy programs are whole: each compiles and defines the entry point."""
    with _read(name) as dataset:
        for problem in dataset.problems.values():
            for source in (problem.canonical, problem.buggy):
                if source is not None:
                    code = compile(source, "<program>", "exec", dont_inherit=True)

                    assert problem.entry_point in code.co_names


@pytest.mark.parametrize("name", FILES)
def test_tests_come_back_from_the_shelf_as_they_were_put(name: str) -> None:
    """Tests are the same whenever and in whatever order they are asked for."""
    with _read(name) as dataset:
        once = {problem: dataset.tests(problem) for problem in dataset.problems}
        again = {problem: dataset.tests(problem) for problem in reversed(list(dataset.problems))}

    assert once == again


def test_humaneval_gives_the_helpers_of_a_prompt_their_place() -> None:
    """What stands before the entry point in a prompt is the preamble; a helper that the test calls is named."""
    with _read("humaneval") as dataset:
        cyclic = dataset.problems["HumanEval/38"]
        tests = dataset.tests(cyclic.id)

    assert "def encode_cyclic" in cyclic.preamble
    assert "def decode_cyclic" not in cyclic.preamble
    assert cyclic.prompt.startswith(cyclic.preamble)
    assert cyclic.uses == ("encode_cyclic",)
    assert isinstance(tests, CheckTests)


def test_a_known_bad_problem_is_marked_and_not_hidden() -> None:
    """A problem that is known to be bad is there, with the reason."""
    with _read("humaneval") as dataset, _read("livecodebench") as contests, _read("mbppplus") as plus:
        assert "number of ones" in (dataset.problems["HumanEval/116"].known_bad or "")
        assert "several answers" in (contests.problems["own001_b"].known_bad or "")
        assert dataset.problems["HumanEval/34"].known_bad is None
        assert plus.problems["Mbpp/2"].known_bad is None


def test_humanevalfix_calls_check_itself_and_shows_its_examples() -> None:
    """The tests of HumanEvalFix call `check`; the example test is the shown part; the bug is in the prompt."""
    with _read("humanevalfix") as dataset:
        unique = dataset.problems["Python/34"]
        tests = dataset.tests(unique.id)

    assert isinstance(tests, CheckTests)
    assert "check(unique)" in (tests.shown or "")
    assert "return sorted(l)\n" in (unique.buggy or "")
    assert "return sorted(l)\n" in unique.prompt


def test_quixbugs_counts_its_cases() -> None:
    """The cases of QuixBugs count, also where they are not one assertion each."""
    with _read("quixbugs") as dataset:
        gcd = dataset.problems["quixbugs/gcd"]

    assert (gcd.test_count, gcd.entry_point) == (6, "gcd")
    assert gcd.canonical != gcd.buggy


def test_mbpp_finds_the_function_under_test() -> None:
    """The function under test is the one that the tests mention, also inside `set(...)` and beside a class."""
    with _read("mbpp") as dataset:
        points = {problem.id: problem.entry_point for problem in dataset.problems.values()}
        chain, tree = dataset.problems["MBPP/601"], dataset.problems["MBPP/927"]
        tests = dataset.tests("MBPP/927")

    assert points == {
        "MBPP/2": "similar_elements",
        "MBPP/56": "check",
        "MBPP/502": "find",
        "MBPP/601": "max_chain_length",
        "MBPP/927": "max_height",
    }
    assert (chain.uses, tree.uses) == (("Pair",), ("Node",))
    assert isinstance(tests, AssertTests)
    assert "root = Node(1)" in tests.setup
    assert len(tests.asserts) == 3


@pytest.mark.parametrize(
    ("assertion", "name"),
    [
        ("assert set(f((1, 2))) == set((1, 2))", "f"),
        ("assert math.isclose(f(1), 2.0, rel_tol=0.001)", "f"),
        ("assert C(1) == f(C(2))", "f"),
        ("assert not g('f(1)')  # f(1)", "g"),
        ("assert sorted(C(1).g()) == [1]", "C"),
        ("assert list(map(g, [1])) == [2]", "g"),
        ("assert f(1, g=2) == dict(g=1)", "f"),
        ("assert [f(g) for g in (1, 2)] == [2, 3]", "f"),
        ("assert f([C(1)]).strip() == '3'", "f"),
    ],
)
def test_the_function_under_test_is_defined_and_mentioned(assertion: str, name: str) -> None:
    """What is called and not defined by the program, or is a method, is not the function under test."""
    assert entry_point_of([assertion], "def g(x): ...\n\ndef f(x): ...\n\nclass C: ...\n") == name


def test_an_assertion_that_calls_nothing_of_the_program_is_a_fault() -> None:
    """Without a function under test there is no problem."""
    with pytest.raises(BadRecordError, match="mention nothing that `code` defines"):
        entry_point_of(["assert sorted(h(1)) == [1]"], "def f(x): ...\n")


@pytest.mark.parametrize(
    "tests",
    [
        ["assert close(f(1), 2)"],
        ["assert f(1) == 2", "assert close(f(2), 3)"],
        ["assert f(1) == close(2)"],
        ["assert list(map(f, [1])) == [close(1)]"],
        ["assert close(run(1), 2)", "def run(x):\n    return f(x)\n"],
        ["assert table['f'](1) == close(1)"],
        ["assert C.f(1) == close(1)"],
        ["s = C(); assert s.push(4) == 1 and close(1) == 2"],
        ["assert C(1) in D(C(1))"],
    ],
)
def test_tests_of_more_than_one_function_of_the_program_are_a_fault(tests: list[str]) -> None:
    """One only would be asked of a solution, perhaps a helper, and the canonical one for the other: wrong ones pass."""
    classes = "class C:\n    def push(self, x): ...\n    def f(self): ...\n\nclass D: ...\n\n"
    program = "def f(x): ...\n\ndef close(a, b): ...\n\ntable = {'f': f}\n\n" + classes
    with pytest.raises(BadRecordError, match="mention more of `code` than one"):
        entry_point_of(tests, program)


def test_sanitized_mbpp_is_an_array_with_imports() -> None:
    """The checked part of MBPP is one JSON array; imports of its tests stand in the setup; the line is the record's."""
    with _read("mbpp", "sanitized-mbpp.json") as dataset:
        sphere = dataset.problems["MBPP/82"]
        tests = dataset.tests(sphere.id)

    assert isinstance(tests, AssertTests)
    assert (sphere.entry_point, tests.setup) == ("volume_sphere", "import math")
    assert sphere.line > dataset.problems["MBPP/269"].line == 2
    assert sphere.form is PromptForm.PROSE
    assert tests.asserts[0] in sphere.prompt


def test_no_code_has_carriage_returns() -> None:
    """Code is given with line feeds only, whatever line ends its file has."""
    assert "\\r\\n" in (DATA / "mbpp.jsonl").read_text(encoding="utf-8")
    with _read("mbpp") as dataset:
        for problem in dataset.problems.values():
            assert "\r" not in problem.model_dump_json()
            assert "\\r" not in dataset.tests(problem.id).model_dump_json()


def test_evalplus_inputs_become_the_arguments_that_are_meant() -> None:
    """JSON lists become tuples, and texts complex numbers, where the set means them; each call has its own."""
    with _read("mbppplus") as dataset:
        similar, convert = dataset.tests("Mbpp/2"), dataset.tests("Mbpp/252")

    assert isinstance(similar, InputTests)
    assert isinstance(convert, InputTests)
    assert (similar.oracle, similar.decoding) == (Oracle.SAME_SET, Decoding.ARGUMENTS)
    assert decode_arguments(similar.base[0], similar.decoding) == ((3, 4), (4, 5))
    assert decode_arguments(convert.base[0], convert.decoding) == (1 + 0j,)
    (odd,) = decode_arguments(convert.plus[0], convert.decoding)
    assert isinstance(odd, complex)
    assert math.isnan(odd.real)
    assert (convert.atol, similar.contract) == (1e-6, "\n    assert isinstance(one, tuple)\n")


@pytest.mark.parametrize(
    ("decoding", "text", "meant"),
    [
        (Decoding.PLAIN, "[[1], 2]", ([1], 2)),
        (Decoding.ARGUMENTS, '[[1], "ab"]', ((1,), ("a", "b"))),
        (Decoding.ITEMS, "[[[1], [2]]]", ([(1,), (2,)],)),
        (Decoding.FIRST_ITEMS, "[[[1]], [2]]", ([(1,)], [2])),
        (Decoding.FIRST, "[[1], [2]]", ((1,), [2])),
        (Decoding.SECOND, "[[1], [2]]", ([1], (2,))),
        (Decoding.NESTED, "[[[1], 2]]", (((1,), 2),)),
        (Decoding.DEEP, "[[[[1]], 2]]", ((((1,),), 2),)),
        (Decoding.FIRST_VALUES, '[{"a": [1]}, [2]]', ({"a": (1,)}, [2])),
        (Decoding.FIRST_SETS, "[[[1, 1], [], {}]]", ([{1}, {}, {}],)),
        (Decoding.FIRST_SETS, "[{}]", ([],)),
        (Decoding.COMPLEX, '["1j"]', (1j,)),
        (Decoding.FLOAT_COMPLEX, '["1.5", "2j"]', (1.5, 2j)),
    ],
)
def test_decodings(decoding: Decoding, text: str, meant: tuple[object, ...]) -> None:
    """Each decoding gives the types that it names, and only where it names them."""
    found = decode_arguments(text, decoding)

    assert repr(found) == repr(meant)


@pytest.mark.parametrize("decoding", Decoding)
@pytest.mark.parametrize("text", ["{}", "[]", "[1, 2]", "[[[null]]]", "[{}, {}]", '["x", "y"]', "nonsense"])
def test_a_decoding_that_does_not_fit_is_an_error(decoding: Decoding, text: str) -> None:
    """Arguments that a decoding can't take are a ValueError, and nothing else."""
    try:
        assert isinstance(decode_arguments(text, decoding), tuple)
    except ValueError as exc:
        assert str(exc)  # noqa: PT017 - either is right


def test_bigcodebench_has_two_variants_of_one_problem() -> None:
    """The two variants differ in the prompt and its form only; what is needed beyond the standard library is named."""
    with _read("bigcodebench") as complete, _read("bigcodebench-instruct") as instruct:
        one, other = complete.problems["BigCodeBench/9001"], instruct.problems["BigCodeBench/9001"]
        tests = complete.tests(one.id)

        assert tests == instruct.tests(other.id)
    assert isinstance(tests, UnittestTests)
    assert tests.case_classes == ("TestCases",)
    assert (one.test_count, one.libraries, one.form, other.form) == (2, ("pandas",), PromptForm.CODE, PromptForm.PROSE)
    assert one.preamble == "import collections\nimport pandas as pd\n"
    assert other.prompt.startswith("Count the words")
    assert _rest(one) == _rest(other)


def _rest(problem: Problem) -> dict[str, object]:
    return problem.model_dump(exclude={"dataset", "prompt", "form"})


def test_livecodebench_reads_packed_and_plain_cases() -> None:
    """Public cases are shown and private ones are not; data keeps its line ends; arguments are JSON texts."""
    with _read("livecodebench") as dataset:
        adding, longest = dataset.tests("own001_a"), dataset.tests("9001")
        problem = dataset.problems["9001"]
        program = dataset.problems["own001_a"]

    assert isinstance(adding, StdinTests)
    assert [(case.stdin, case.shown) for case in adding.cases] == [
        ("1 2\n", True),
        ("10 -4\r\n", False),
        ("0 0", False),
    ]
    assert program.entry_point is None
    assert isinstance(longest, FunctionalTests)
    assert (longest.owner, problem.entry_point) == ("Solution", "longestWord")
    assert [(case.arguments, case.expected) for case in longest.cases] == [
        (('["a", "bb"]', "1"), '"bb"'),
        (("[]", "0"), '""'),
    ]
    compile(PREAMBLE, "<preamble>", "exec", dont_inherit=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("HumanEval.jsonl", "NAME=PATH"),
        ("humaneval=", "NAME=PATH"),
        ("humanevla=x", "did you mean `humaneval`"),
        ("apps=x", "known are"),
    ],
)
def test_a_wrong_spec_is_answered_with_what_is_right(text: str, words: str) -> None:
    """A spec of another form, or of an unknown set, is the user's fault, with a hint."""
    with pytest.raises(DatasetError) as caught:
        read_dataset(text)

    assert words in f"{caught.value.message} {caught.value.hint}"


def test_a_file_of_another_set_is_told() -> None:
    """A file that gives no problem of the set named is an error that says which set it looks like."""
    with pytest.raises(DatasetError) as caught:
        read_dataset(f"mbpp={DATA / 'humaneval.jsonl'}")

    assert caught.value.hint == "the file looks like humaneval"
    assert "`code` is missing" in caught.value.message


def test_a_set_without_end_is_read_up_to_a_bound() -> None:
    """Problems are held in memory, so no more are read than the most there may be; that there are more is told."""
    with read_dataset(f"mbpp={DATA / 'mbpp.jsonl'}", most_problems=2) as dataset:
        assert list(dataset.problems) == ["MBPP/2", "MBPP/56"]
        assert [(fault.line, fault.what) for fault in dataset.faults] == [
            (3, "there are more than 2 problems; the rest is not read")
        ]


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["f", "[1]", "{}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.slow
@given(data=st.data(), name=st.sampled_from(sorted(FILES)))
def test_no_record_makes_a_reader_raise(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, name: str
) -> None:
    """Whatever values stand under the keys of a format: a problem with tests, or a fault."""
    whole = json.loads((DATA / FILES[name]).read_text(encoding="utf-8").splitlines()[-1])
    changed = data.draw(st.dictionaries(st.sampled_from(sorted(whole)), _JSON, min_size=1, max_size=3))
    path = tmp_path_factory.mktemp("any") / "set.jsonl"
    path.write_text(json.dumps(whole | changed), encoding="utf-8")
    try:
        with read_dataset(f"{name}={path}") as dataset:
            (problem,) = dataset.problems.values()

            assert dataset.tests(problem.id).form == problem.test_form
    except DatasetError as exc:
        assert str(path) in exc.message  # noqa: PT017 - either is right


@pytest.mark.parametrize("name", FILES)
def test_every_field_that_a_format_needs_is_asked_for_by_its_name(name: str, tmp_path: Path) -> None:
    """Without a field, or with a number in its place, a record is a fault that names it, or a problem as before."""
    first = json.loads((DATA / FILES[name]).read_text(encoding="utf-8").splitlines()[0])
    with _read(name) as dataset:
        whole = next(iter(dataset.problems.values()))
    for key in first:
        for broken in ({k: v for k, v in first.items() if k != key}, {**first, key: 3.5}):
            path = tmp_path / "broken.jsonl"
            path.write_text(json.dumps(broken) + "\n", encoding="utf-8")
            try:
                with read_dataset(f"{name}={path}") as dataset:
                    (problem,) = dataset.problems.values()

                assert problem.id == whole.id
            except DatasetError as exc:
                assert f"`{key}`" in exc.message  # noqa: PT017 - either is right
