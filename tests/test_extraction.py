"""Laws of extraction."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen_eval.extraction import MAX_CANDIDATES, MAX_CHARS, candidates, extract
from codegen_eval.solution import Outcome

CODE = "def f(x):\n    return x\n"
LONG = '''def f(values, *, start=0):
    """Add up."""
    total = start
    for value in values:
        if value is None:
            continue
        total += abs(value) if value < 0 else (value + 1)
    return total
'''
OTHER = "def g(x):\n    return x\n"


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        (f"Here:\n```python\n{CODE}```\nDone.", "fence"),
        (f"```py\n{CODE}```", "fence"),
        (f"```Python\n{CODE}```", "fence"),
        (f"``` python title=x\n{CODE}```", "fence"),
        (f"```python:solution.py\n{CODE}```", "fence"),
        (f"```{{.python}}\n{CODE}```", "fence"),
        (f"```\n{CODE}```", "fence"),
        (f"~~~python\n{CODE}~~~", "fence"),
        (f"````python\n{CODE}````", "fence"),
        (f"```python\n{CODE}```  ", "fence"),
        (f"```python\n{CODE}`````", "fence"),
        (f"```python\n{CODE}", "fence-unclosed"),
        (f"```python\n{OTHER}```\n```python\n{CODE}", "fence-unclosed"),
        (f"```python\n{CODE}```\n```python\nprint(f(1))\n```", "fence"),
        (f"```python\ndef f(x): ...\n```\nbetter:\n```python\n{CODE}```", "fence"),
        (f"```bash\npip install f\n```\n```python\n{CODE}```", "fence"),
        (f"```ruby\ndef f(x)\nend\n```\n```\n{CODE}```", "fence"),
        (f"```\nf(1) -> 1\n```\n```python\n{CODE}```\n```text\n1\n```", "fence"),
        (f"```markdown\nAnswer:\n```python\n{CODE}```\n```", "fence"),
        ("1. So:\n   ```python\n   def f(x):\n       return x\n   ```\n", "fence"),
        ("- So:\n\t```python\n\tdef f(x):\n\t    return x\n\t```\n", "fence"),
        ("```python\n    def f(x):\n        return x\n```\n", "fence"),
        (f"\ufeff```python\r\n{CODE}```".replace("\n", "\r\n"), "fence"),
        (f"```python\r{CODE}```".replace("\n", "\r"), "fence"),
        (f"\u200b```python\n\u2060{CODE}\u200b```\u200b", "fence"),
        (f"Use ```f``` so:\n```python\n{CODE}```", "fence"),
        (f"```f``` is this:\n```python\n{CODE}```", "fence"),
        (CODE, "whole-reply"),
        (f"\n\n{CODE}\n\n", "whole-reply"),
        (" def f(x):\n     return x", "whole-reply"),
        ("    def f(x):\n        return x", "whole-reply"),
        (f"\ufeff{CODE}", "whole-reply"),
        (f"The function f is this.\n\n{CODE}\nIt returns x.", "code-lines"),
        (f"{CODE}\nIt returns x.", "code-lines"),
    ],
)
def test_every_usual_form_of_a_reply_is_read(reply: str, rule: str) -> None:
    """The same function is found in every form that models wrap it in, and the rule is named."""
    extraction = extract(reply, "f")

    assert extraction.code == CODE
    assert extraction.rule == rule
    assert extraction.outcome is Outcome.OK


@pytest.mark.parametrize(
    "code",
    [
        'def f(x):\n    """Say.\n\n    ```python\n    f(1)\n    ```\n    """\n    return x\n',
        "import re\n\n\n@cache\nasync def f(x):\n    return x\n\n\nassert f\n",
        "def f[T](x: T) -> T:\n    return x\n",
        "f = lambda x: x\n",
        "f: Callable[[int], int] = abs\n",
        "class f:\n    pass\n",
        "def f(x):\n    return '\u200b' + x\n",
        "def f(x):\n\treturn x\n",
    ],
)
def test_code_in_a_fence_is_not_changed(code: str) -> None:
    """A block at the left margin is taken as it stands, also where it holds fences of its own in a docstring."""
    assert extract(f"Prose.\n```python\n{code}```\nProse.", "f").code == code


def test_a_stray_blank_before_the_reply_is_dropped() -> None:
    """A reply whose first line alone is shifted is code all the same."""
    assert extract(f" {CODE}\n\n{OTHER}", "f").code == f"{CODE}\n\n{OTHER}"


def test_a_block_without_the_entry_point_is_better_than_nothing() -> None:
    """Where no block defines the entry point the last Python block is taken: the layers can say what it lacks."""
    extraction = extract(f"```python\n{OTHER}```\n```\noutput\n```", "f")

    assert (extraction.code, extraction.rule) == (OTHER, "fence-other")


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "\n \n",
        "I can't help with that.",
        "```python\n```",
        "```ruby\ndef f(x)\nend\n```",
        "Call f(x) = x.",
        "f == 1",
    ],
)
def test_a_reply_without_code_is_no_code(reply: str) -> None:
    extraction = extract(reply, "f")

    assert (extraction.code, extraction.rule, extraction.outcome) == (None, "none", Outcome.NO_CODE)


PARTS = [
    *(
        "```",
        "````",
        "~~~",
        "python",
        "json",
        "\n",
        "\n",
        "\n",
        "    ",
        "\t",
        "\r",
        "\x0c",
        "\u2028",
        "\u200b",
        "\ufeff",
    ),
    *("def f(x):", "def f(x): return g(x)", "def g(x): return 1", "class A:", "    def f(self, x):\n        return 1"),
    *("return x", "import re", "x = 1", "f = g", "pass", "...", "else:", "@d", "async ", "print(f(1))", "prose words."),
    *('"""', "'", '"', "(", ")", "{", "}", "\\n", "\\", "&lt;", "&amp;", "&quot;", "# c", "if x &lt; y:", "\xa0"),
    *("<think>", "</think>", ">>> ", "... ", "> ", "[PYTHON]", "[/PYTHON]", "<code>", "</code>", "<<<<<<< SEARCH"),
    '{"code": "def f(x):\\n    return 1"}',
]
"""What replies are made of, each in several ways that matter."""
HOSTILE = st.lists(st.sampled_from(PARTS), max_size=40).map("".join) | st.text(max_size=200)


@given(HOSTILE)
def test_any_text_is_read(reply: str) -> None:
    """Extraction never raises; code is whole lines without carriage returns, or the outcome says there is none."""
    extraction = extract(reply, "f")

    assert (extraction.code is None) is (extraction.rule in {"none", "thinking-unclosed"})
    assert (extraction.rule == "none") is (extraction.outcome is Outcome.NO_CODE)
    if extraction.code is not None:
        assert extraction.code.strip()
        assert extraction.code.endswith("\n")
        assert "\r" not in extraction.code


@given(HOSTILE)
def test_what_was_extracted_is_extracted_again(reply: str) -> None:
    """Extracted code, put into a fence, is found unchanged: nothing is mended twice, nothing is left to be mended."""
    code = extract(reply, "f").code
    if code is None:
        return
    mark = "`" * (3 + max((len(run) for run in re.findall("`+", code)), default=0))

    assert extract(f"{mark}python\n{code}{mark}\n", "f").code == code


@given(HOSTILE)
def test_candidates_begin_with_what_is_extracted(reply: str) -> None:
    """They are distinct, no more than the bound, and none is empty."""
    found = candidates(reply, "f")
    first = extract(reply, "f")

    assert len({other.code for other in found}) == len(found) <= MAX_CANDIDATES
    assert all(other.code and other.code.strip() for other in found)
    spoken = [other for other in found if not other.rule.startswith("thinking/")]
    assert spoken[:1] == ([] if first.code is None else [first])


def test_candidates_are_what_other_rules_would_give() -> None:
    """An earlier block, a block without its helper, and what was only thought are there, in this order."""
    helper, user = "def g(x):\n    return x\n", "def f(x):\n    return g(x)\n"
    reply = f"<think>\n```python\n{CODE}```\n</think>\n```python\n{helper}```\n```python\n{user}```\n"
    found = candidates(reply, "f")

    assert [other.rule for other in found] == ["fence-joined", "fence", "fence-other", "thinking/fence"]
    assert [other.code for other in found] == [f"{helper}\n\n{user}", user, helper, CODE]


@pytest.mark.parametrize("tail", ["", "\n", "\n\n", "\nThis is how it works.\n", "\n# done\n"])
def test_an_unclosed_block_that_is_whole_is_no_cut_one(tail: str) -> None:
    """Whether a fence is closed does not matter where the code is whole."""
    extraction = extract(f"```python\n{CODE}{tail}", "f")

    assert extraction.outcome is Outcome.OK
    assert extraction.rule == "fence-unclosed"
    assert (extraction.code or "").startswith(CODE)


@given(st.integers(min_value=10, max_value=len(LONG) - 2))
@settings(max_examples=300)
def test_a_cut_reply_is_truncated_or_what_is_left_is_whole(length: int) -> None:
    """Cut anywhere, no line is invented, and what is called whole compiles."""
    extraction = extract(f"```python\n{LONG[:length]}", "f")

    code = extraction.code or ""
    assert LONG.startswith(code.rstrip("\n"))
    if extraction.outcome is Outcome.OK:
        compile(code, "f", "exec")


@given(
    st.text(st.characters(exclude_characters="`~\r", codec="utf-8"), max_size=80),
    st.sampled_from(["```", "~~~~", "````"]),
    st.sampled_from(["python", "py", ""]),
)
def test_prose_around_a_block_does_not_matter(prose: str, mark: str, tag: str) -> None:
    """Whatever stands before and after a block that defines the entry point, the block is found."""
    assert extract(f"{prose}\n{mark}{tag}\n{CODE}{mark}\n{prose}", "f").code == CODE


@given(st.text(st.sampled_from("abc =()\n#'\""), max_size=60))
def test_extraction_of_extracted_code_is_the_same(body: str) -> None:
    """Code that was extracted and is wrapped in a fence again is found unchanged."""
    code = extract(f"```python\n{CODE}{body}\n```", "f").code

    assert code is not None
    assert extract(f"```python\n{code}```", "f").code == code


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [
        "```python\n",
        "`",
        " ",
        "def f(\n",
        "def f",
        "~~~\n```\n",
        "if :",
        ":#",
        "\n",
        " \n",
        "from a.",
        "(" * 50,
        "f:  ",
        "\u200b",
        "if :\n",
        "a=",
        "@\n",
        "\\n",
        "def f(x):\\n",
        "&amp;",
        "> ```\n",
        ">>> def f(x):\n",
        "<think>\n",
        "</think>\n",
        '```\n"""\n',
        "def f(): return '\n",
        '{"a":',
        "x = f(a) ```\n",
        "class A:\n  def f(self): return 1\n",
        "```py\ndef f(x):\n  return g(x)\n```\n```py\ndef g(x): return f(x)\n```\n",
    ],
)
def test_hostile_replies_take_linear_time(pattern: str) -> None:
    """Four times the text takes about four times as long, with all candidates: and far from sixteen times."""
    small, large = (_seconds(pattern * (size // len(pattern))) for size in (MAX_CHARS // 64, MAX_CHARS // 16))

    assert large < max(8 * small, 2)


@pytest.mark.slow
def test_a_reply_is_read_up_to_a_bound() -> None:
    """What lies beyond is not looked at."""
    assert extract("\n" * (MAX_CHARS - 1) + CODE, "f").outcome is Outcome.NO_CODE
    assert _seconds("def f(\n" * (2 * MAX_CHARS // 7)) < 20


def _seconds(reply: str) -> float:
    start = time.process_time()
    candidates(reply, "f")
    return time.process_time() - start
