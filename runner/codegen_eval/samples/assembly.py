"""How a sample becomes a program: by a rule with a name, which stands in the results.

==============  ======================================================================================================
rule            program
==============  ======================================================================================================
`official`      the prompt, and what the model wrote after it; HumanEval's own rule
`as-is`         the text alone
`standalone`    imports and helpers of the prompt, and the text; where the text defines the entry point itself
`indented`      as `official`, with the first line moved right; where it lost its indentation and the next lines didn't
`unescaped`     as `official`, with line ends and quotes that were written as escapes put back
`imports`       imports that older harnesses run first, and the text
`extracted`     imports and helpers of the prompt, and the code that was found in a reply
==============  ======================================================================================================

`official` is the rule for completions of a prompt of code, `as-is` for programs, `extracted` for raw replies; nothing
else is used unless it is asked for, and then for the samples to which it applies. The other rules that apply to a
sample say what it lost by the way it was written.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from enum import StrEnum

from codegen_eval.datasets.problem import Problem, PromptForm
from codegen_eval.lexis import defined_names
from codegen_eval.solution import Outcome

from .sample import Sample, SampleKind


class AssemblyRule(StrEnum):
    """The rules, described above."""

    OFFICIAL = "official"
    AS_IS = "as-is"
    STANDALONE = "standalone"
    INDENTED = "indented"
    UNESCAPED = "unescaped"
    IMPORTS = "imports"
    EXTRACTED = "extracted"


IMPORTS = (
    "from typing import *\nimport math\nimport heapq\nimport itertools\nimport re\nimport typing\n"
    "from collections import *\nfrom heapq import *\n"
)
"""What the rule `imports` runs first."""
_ANY_NAME = "main"
"""Looked for in replies to problems that name no entry point."""
_INDENT = "    "
_BEGINNINGS = frozenset({"def", "class", "async"})
_QUOTES = ('"""', "'''", '"', "'")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program to be judged, and how it came about."""

    source: str
    """Empty where a reply holds no code."""
    rule: AssemblyRule
    extraction: str | None = None
    """The rule of extraction, for `extracted`."""
    outcome: Outcome = Outcome.OK
    """What the extraction found, for `extracted`: no code, or code that was cut."""


def default_rule(problem: Problem, sample: Sample) -> AssemblyRule:
    """Return the rule that counts where none is asked for."""
    match sample.kind:
        case SampleKind.RAW:
            return AssemblyRule.EXTRACTED
        case SampleKind.COMPLETION if problem.form is PromptForm.CODE:
            return AssemblyRule.OFFICIAL
        case _:
            return AssemblyRule.AS_IS


def assemble(problem: Problem, sample: Sample, rule: AssemblyRule | None = None) -> Program:
    """Return the program that a rule makes of a sample; the default rule's where it doesn't apply, or none is given."""
    text = sample.text.replace("\r\n", "\n").replace("\r", "\n")
    default = default_rule(problem, sample)
    chosen = rule or default
    source = _assembled(problem, text, chosen)
    if source is None and chosen is not AssemblyRule.EXTRACTED:
        chosen, source = default, _assembled(problem, text, default)
    return _extract(problem, text) if source is None else Program(source=source, rule=chosen)


def other_programs(problem: Problem, sample: Sample) -> tuple[Program, ...]:
    """Return the programs that other rules make of a sample: each once, and none that is the default rule's."""
    text = sample.text.replace("\r\n", "\n").replace("\r", "\n")
    seen = {assemble(problem, sample).source}
    found: list[Program] = []
    for rule in AssemblyRule:
        if rule is AssemblyRule.EXTRACTED:
            program: Program | None = _extract(problem, text)
        else:
            source = _assembled(problem, text, rule)
            program = None if source is None else Program(source=source, rule=rule)
        if program is not None and program.source and program.source not in seen:
            seen.add(program.source)
            found.append(program)
    return tuple(found)


def defines_entry_point(problem: Problem, text: str) -> bool:
    """Say whether a text defines the entry point, at its top level."""
    name = problem.entry_point
    return name is not None and name in text and name in defined_names(text)


def wanted_name(problem: Problem) -> str:
    """Return the name by which code is looked for in a reply."""
    return problem.entry_point or _ANY_NAME


def around(problem: Problem, code: str) -> str:
    """Return the program of code that was found in a reply: the prompt's helpers, or all of it, stand before it."""
    if not code or problem.form is not PromptForm.CODE or problem.entry_point is None:
        return code
    if defines_entry_point(problem, code):
        return problem.preamble + code
    body = code if code.startswith((" ", "\t")) else textwrap.indent(code, _INDENT)  # which is lost in cutting it out
    return problem.prompt + body


def _assembled(problem: Problem, text: str, rule: AssemblyRule) -> str | None:
    """Return a program, or None where the rule does not apply."""
    continues = problem.form is PromptForm.CODE
    match rule:
        case AssemblyRule.OFFICIAL if continues:
            return problem.prompt + text
        case AssemblyRule.AS_IS:
            return text
        case AssemblyRule.STANDALONE if defines_entry_point(problem, text):
            return problem.preamble + text
        case AssemblyRule.INDENTED if continues and _lost_indent(text):
            return problem.prompt + _INDENT + text
        case AssemblyRule.UNESCAPED if (mended := _unescaped(text)) is not None:
            whole = not continues or defines_entry_point(problem, mended)
            return (problem.preamble if whole else problem.prompt) + mended
        case AssemblyRule.IMPORTS if not continues or defines_entry_point(problem, text):
            return IMPORTS + text
        case _:
            return None


def _lost_indent(text: str) -> bool:
    """Say whether a text is a body whose first line alone has no indentation."""
    first, _, rest = text.partition("\n")
    if not first.strip() or first[0] in " \t@" or first.split(maxsplit=1)[0] in _BEGINNINGS:
        return False
    following = next((line for line in rest.split("\n") if line.strip()), _INDENT)
    return following[0] in " \t"


def _unescaped(text: str) -> str | None:
    r"""Return a text with `\n` for line ends and its quotes as it was meant; None where it is not written like that."""
    bare = text.strip()
    quote = next((q for q in _QUOTES if len(bare) >= 2 * len(q) and bare.startswith(q) and bare.endswith(q)), "")
    if quote and not (len(quote) == 1 and quote in bare[1:-1].replace(f"\\{quote}", "")):
        text = bare[len(quote) : -len(quote)]
    elif "\n" in bare or "\\n" not in bare:
        return None
    if "\n" in text.strip("\n"):
        return text if quote else None
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\'", "'")


def _extract(problem: Problem, text: str) -> Program:
    from codegen_eval.extraction import extract

    found = extract(text, wanted_name(problem))
    code = around(problem, found.code or "")
    return Program(source=code, rule=AssemblyRule.EXTRACTED, extraction=found.rule, outcome=found.outcome)
