"""Laws of extraction."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen_eval.extraction import MAX_CHARS, extract
from codegen_eval.solution import Outcome

CODE = "def f(x):\n    return x\n"
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


@given(st.text(st.sampled_from("`~ \n\r\t\u200bdef(x):py#ag='"), max_size=200) | st.text(max_size=200))
def test_any_text_is_read(reply: str) -> None:
    """Extraction never raises; code is whole lines without carriage returns, or the outcome says there is none."""
    extraction = extract(reply, "f")

    assert (extraction.code is None) is (extraction.outcome is Outcome.NO_CODE) is (extraction.rule == "none")
    if extraction.code is not None:
        assert extraction.code.strip()
        assert extraction.code.endswith("\n")
        assert "\r" not in extraction.code


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
    ],
)
def test_hostile_replies_take_linear_time(pattern: str) -> None:
    """A reply of any size is read in a bounded time, and what lies beyond the bound is not looked at."""
    reply = pattern * (2 * MAX_CHARS // len(pattern))
    start = time.process_time()
    extract(reply, "f")
    spent = time.process_time() - start

    assert spent < 10
    assert extract(" " * MAX_CHARS + CODE, "f").outcome is Outcome.NO_CODE
