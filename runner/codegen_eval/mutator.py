"""Small, compilable changes to a solution's source, found without running it and without recursion.

A mutant is the original text with one operator, literal or condition spliced out for another, so everything else stays
byte for byte as it was. The tree is only read to find places: nothing here unparses, dumps or visits recursively,
since the source is hostile to recursive walkers. Expressions inside f-strings are left alone: Python 3.11 doesn't know
where they stand.
"""

from __future__ import annotations

import ast
import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from codegen_eval.mutation_sites import Edit, Position, Site, find_sites
from codegen_eval.program import Unmutable, encode, line_starts, parse

MAX_NODES = 100_000
"""Bounds the walk and the memory of a tree."""
MAX_CHECKED_NODES = 1_000_000
"""What checking all mutants of one solution may cost, some five seconds; after that the selection is cut short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One small change."""

    id: str
    """Line, operator, change and number on the line, as `L12:compare:<-><=#0`. Unique for one source."""
    line: int
    operator: str
    description: str
    """What became what, in printable ASCII."""
    source: str


def mutants(source: str, *, limit: int, seed: int) -> tuple[Mutant, ...]:
    """Return up to `limit` different mutants in the order of the source; a seeded sample where there are more.

    The sample spreads over lines first and over operators second. Every mutant compiles, and no two of them, nor one
    and the original, have the same tree.

    Raises:
        Unmutable: the source does not compile here, or is too large or too deep.
    """
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    data = encode(text)
    tree = parse(text)
    sites = _numbered(find_sites(tree, data, line_starts(data)))
    original, nodes = _shape(tree)
    seen = {original}
    made: list[tuple[Position, Mutant]] = []
    tries = MAX_CHECKED_NODES // nodes
    chance = random.Random(f"{seed}:{hashlib.sha256(data).hexdigest()}")  # noqa: S311 - a sample, no secret
    for site, number in islice(_spread(sites, chance), tries):
        if len(made) >= limit:
            break
        mutated = _splice(data, site.edits)
        try:
            shape, _ = _shape(parse(mutated))
        except Unmutable:
            continue  # the splice gave no valid program: no mutant
        if shape not in seen:
            seen.add(shape)
            made.append((site.position, _mutant(site, number, mutated)))
    return tuple(mutant for _, mutant in sorted(made, key=lambda pair: (pair[0], pair[1].id)))


def _mutant(site: Site, number: int, mutated: str) -> Mutant:
    return Mutant(
        id=f"L{site.line}:{site.operator}:{site.before}->{site.after}#{number}",
        line=site.line,
        operator=site.operator,
        description=f"`{site.before}` became `{site.after}`" if site.after else f"`{site.before}` was dropped",
        source=mutated,
    )


def _splice(data: bytes, edits: Iterable[Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data.decode()


def _numbered(sites: Iterable[Site]) -> list[tuple[Site, int]]:
    """Give every site its number among those of its line that make the same change."""
    numbers: Counter[tuple[int, str, str, str]] = Counter()
    numbered: list[tuple[Site, int]] = []
    for site in sorted(sites):
        key = (site.line, site.operator, site.before, site.after)
        numbered.append((site, numbers[key]))
        numbers[key] += 1
    return numbered


def _spread(sites: list[tuple[Site, int]], chance: random.Random) -> Iterator[tuple[Site, int]]:
    """Yield the sites by rounds: one of every line, then a second, …; within a round the operators take turns."""
    shuffled = sites[:]
    chance.shuffle(shuffled)
    on_line: Counter[int] = Counter()
    in_round: Counter[tuple[int, str]] = Counter()
    ranked: list[tuple[int, int, int]] = []
    for index, (site, _) in enumerate(shuffled):
        turn = on_line[site.line]
        on_line[site.line] += 1
        ranked.append((turn, in_round[turn, site.operator], index))
        in_round[turn, site.operator] += 1
    for _, _, index in sorted(ranked):
        yield shuffled[index]


def _shape(tree: ast.AST) -> tuple[bytes, int]:
    """Return a digest that two programs share only if their trees are equal, and the number of nodes."""
    digest = hashlib.sha256()
    stack: list[object] = [tree]
    nodes = 0
    while stack:
        item = stack.pop()
        match item:
            case ast.AST():
                nodes += 1
                if nodes > MAX_NODES:
                    raise Unmutable(f"the source has more than {MAX_NODES} nodes")
                token = type(item).__name__
                stack.extend(getattr(item, name, None) for name in reversed(item._fields) if name != "ctx")
            case list():
                token = f"[{len(item)}]"
                stack.extend(reversed(item))
            case int() if not isinstance(item, bool):
                token = hex(item)  # decimal has a limit of digits
            case _:
                token = f"{type(item).__name__}:{item!r}"
        digest.update(token.encode("utf-8", "backslashreplace") + b"\0")
    return digest.digest(), nodes
