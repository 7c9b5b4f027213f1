"""A deterministic estimate of token counts, for models whose tokenizer is not at hand.

It is a pure function of the text and never more than an estimate; whoever shows it labels it so. The text is cut into
runs, and each run counts:

======================================  =======================================
run                                     tokens
======================================  =======================================
ASCII letters                           one for each 5 begun
digits                                  one for each 3 begun
one blank                               0 (tokenizers join it to the next word)
any other white space, as one run       1
other ASCII, each character             1
anything else                           one for each 2 bytes of UTF-8 begun
======================================  =======================================

A message of a conversation counts 4 more, for its role and its borders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MESSAGE_TOKENS = 4
"""What a message costs beyond its text."""

_RUN = re.compile(
    r"(?P<letters>[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<space>[ \t\n\r\f\v]+)|(?P<ascii>[\x00-\x7f])|[^\x00-\x7f]+"
)
_LETTERS_PER_TOKEN = 5
_DIGITS_PER_TOKEN = 3
_BYTES_PER_TOKEN = 2


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text is."""
    return sum(_estimate_run(run) for run in _RUN.finditer(text))


def estimate_message_tokens(contents: Iterable[str]) -> int:
    """Estimate how many tokens a conversation with these contents is."""
    return sum(estimate_tokens(content) + MESSAGE_TOKENS for content in contents)


def _estimate_run(run: re.Match[str]) -> int:
    text = run[0]
    match run.lastgroup:
        case "letters":
            return -(-len(text) // _LETTERS_PER_TOKEN)
        case "digits":
            return -(-len(text) // _DIGITS_PER_TOKEN)
        case "space":
            return int(text != " ")
        case "ascii":
            return 1
        case _:
            return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)
