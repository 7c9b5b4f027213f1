r"""Find the code in a model's reply.

A reply is hostile text. It is cut at a bound, read as words in linear time, and never parsed or compiled here: deep
nesting crashes the parser, and whether code compiles is for `compilation` to say, in a process of its own.

First the text is cleaned (carriage returns, invisible characters at the ends of lines, quote marks of Markdown) and
what the model thought aloud is left out. Then rules are tried, first match wins; within a rule the *last* piece,
because models correct themselves:

====================  ==============================================================================
`fence`               a fenced block, tagged as Python or as nothing, that defines the entry point
`fence-unopened`      the same, where the reply begins inside the block
`fence-mistagged`     a block tagged as another language that defines the entry point in Python
`fence-method`        a block with a class that has the entry point as a method
`json`                a string in a JSON text, fenced or not, that defines the entry point
`whole-reply`         no fence, and the whole reply is code that defines the entry point
`code-lines`          the lines of code outside fences, among prose, that define the entry point
`fence`               a block whose definition does nothing, or can't be one as it stands
`fence-other`         a Python block that defines something else; else one that is not tagged
`whole-reply-other`   the whole reply is code that defines something else
`thinking-unclosed`   there is only thinking, which has no end; the reply is cut, and there is no code
`none`                nothing of the above; there is no code
====================  ==============================================================================

What was done to the code stands behind the rule:

==============  ====================================================================================
`-html`         `&lt;` and the like stood where code has operators, and were undone
`-unescaped`    `\n` and the like stood where code has line ends, and were undone
`-trimmed`      quotes and braces that JSON left behind were taken away
`-repl`         the prompts of an interactive Python were taken away, with what it answered
`-method`       a function was put after the class that calls the method on a new object
`-unclosed`     the reply ends in the block; prose after the code was left out
`-cut`          its last statement was cut and left out: it came after the entry point and nothing needs it
`-joined`       blocks that define what this one uses were put before it
==============  ====================================================================================

Code that is unclosed, or stands at the end without a fence, and ends inside a string, a bracket or a statement has the
outcome `truncated`. Diffs and SEARCH/REPLACE blocks are no code. Nothing else is corrected.
"""

from __future__ import annotations

from itertools import chain

from codegen_eval.solution import Outcome

from .reading import Extraction, Reading
from .wrapping import clean, take_thoughts

__all__ = ["MAX_CANDIDATES", "MAX_CHARS", "Extraction", "candidates", "extract"]

MAX_CHARS = 1_000_000
"""What comes after this many characters of a reply is not looked at."""
MAX_CANDIDATES = 16


def extract(reply: str, entry_point: str) -> Extraction:
    """Return the code of a reply that should define `entry_point`."""
    spoken = take_thoughts(clean(reply[:MAX_CHARS]))
    found = next(Reading(spoken.lines, entry_point).extractions(), None)
    if found is not None:
        return found
    if spoken.is_thinking:
        return Extraction(code=None, rule="thinking-unclosed", outcome=Outcome.TRUNCATED)
    return Extraction(code=None, rule="none", outcome=Outcome.NO_CODE)


def candidates(reply: str, entry_point: str) -> tuple[Extraction, ...]:
    """Return what each rule would give, distinct by code, best first: `extract` gives the first.

    What the model only thought comes last, under rules that begin with `thinking/`. At most `MAX_CANDIDATES`; empty
    where there is no code.
    """
    spoken = take_thoughts(clean(reply[:MAX_CHARS]))
    found: dict[str, Extraction] = {}
    thought = (
        Extraction(code=extraction.code, rule=f"thinking/{extraction.rule}", outcome=extraction.outcome)
        for extraction in Reading(spoken.thoughts, entry_point).extractions()
    )
    for extraction in chain(Reading(spoken.lines, entry_point).extractions(), thought):
        if extraction.code is not None:
            found.setdefault(extraction.code, extraction)
        if len(found) == MAX_CANDIDATES:
            break
    return tuple(found.values())
