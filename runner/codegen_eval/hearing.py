"""A hearing: a person sees one solution after the other and judges it, and each answer is kept at once."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

from codegen_eval.adjudication import MAX_NOTE, RULED_CLASSES, Adjudication, Adjudications, Docket, Ruling, digest_of
from codegen_eval.answers import is_flagged
from codegen_eval.results import ScoredSolution
from codegen_eval.verdict import FailureClass, Finding

_MAX_LINES = 400
_MAX_LINE = 500
_MAX_FINDINGS = 20
_WORDS = {"t": Ruling.TRUE, "f": Ruling.FALSE, "u": Ruling.UNSURE}
_ASK = "has it a failure? [t]rue [f]alse [u]nsure, [s]kip [b]ack [q]uit > "


class Hearing:
    """Ask about the solutions of a docket that nobody has judged yet."""

    def __init__(
        self,
        docket: Docket,
        adjudications: Adjudications,
        *,
        ask: Callable[[str], str],
        show: Callable[[str], None],
        save: Callable[[Adjudications], None],
    ) -> None:
        """`ask` shows a prompt and returns a line, or raises EOFError."""
        self._docket = docket
        self._said = adjudications
        self._ask = ask
        self._show = show
        self._save = save

    def run(self) -> Adjudications:
        """Ask until all is said or the person quits; return all that was said. What was said is saved by then."""
        open_cases = [s for s in self._docket.all if s.solution.id not in self._said.by_solution()]
        place = 0
        try:
            while place < len(open_cases):
                scored = open_cases[place]
                self._show(f"\n{'─' * 60}\n{place + 1} of {len(open_cases)}: {_line(scored.solution.id)}")
                for line in describe(scored):
                    self._show(line)
                word = self._choose()
                if word == "q":
                    break
                if word == "b":
                    place = max(place - 1, 0)
                    self._forget(open_cases[place])
                    continue
                place += 1
                if word in _WORDS and not self._record(scored, _WORDS[word]):
                    place -= 1
        except EOFError:
            self._show("")
        return self._said

    def _choose(self) -> str:
        while True:
            word = self._ask(_ASK).strip().lower()[:1]
            if word in {*_WORDS, "s", "b", "q"}:
                return word
            self._show("one of t, f, u, s, b, q")

    def _forget(self, scored: ScoredSolution) -> None:
        if scored.solution.id in self._said.by_solution():
            self._said = self._said.without(scored.solution.id)
            self._save(self._said)

    def _record(self, scored: ScoredSolution, ruling: Ruling) -> bool:
        """Ask for the rest and save; False where the person went back."""
        classes: tuple[FailureClass, ...] = ()
        if ruling is Ruling.TRUE:
            found = self._choose_classes(scored)
            if found is None:
                return False
            classes = found
        note = self._ask("note (none: Enter) > ").strip()[:MAX_NOTE]
        entry = Adjudication(
            solution=scored.solution.id,
            digest=digest_of(scored.solution.source),
            ruling=ruling,
            classes=classes,
            note="".join(c if c.isprintable() else " " for c in note),
        )
        self._said = self._said.with_entries([entry])
        self._save(self._said)
        return True

    def _choose_classes(self, scored: ScoredSolution) -> tuple[FailureClass, ...] | None:
        """Ask for the classes of a true failure; None where the person wants back."""
        suggested = suggest(scored)
        for number, each in enumerate(RULED_CLASSES, 1):
            self._show(f"  {number} {each.value}{'  (a finding names it)' if each in suggested else ''}")
        default = f"; Enter: {', '.join(suggested)}" if suggested else ""
        while True:
            words = self._ask(f"which class? numbers or names{default}; [b]ack > ").replace(",", " ").split()
            if words == ["b"]:
                return None
            if not words and suggested:
                return suggested
            named = [_class(word) for word in words]
            meant = tuple(dict.fromkeys(each for each in named if each is not None))
            if meant and None not in named:
                return meant
            self._show(f"numbers from 1 to {len(RULED_CLASSES)}, or names of classes")


def _class(word: str) -> FailureClass | None:
    """Return the class that a number of the list or a name means."""
    known = {each.value: each for each in RULED_CLASSES} | {str(n): each for n, each in enumerate(RULED_CLASSES, 1)}
    return known.get(word.lower().lstrip("0"))


def suggest(scored: ScoredSolution) -> tuple[FailureClass, ...]:
    """Return the classes that findings name, in the order of every table."""
    named = {f.failure_class for result in scored.layers if is_flagged(scored, result.layer) for f in result.findings}
    return tuple(c for c in RULED_CLASSES if c in named)


def describe(scored: ScoredSolution) -> Iterator[str]:
    """Yield the lines that a person needs to judge a solution. Everything of the model's is escaped."""
    solution = scored.solution
    strategy = solution.strategy.value if solution.strategy else "none"
    yield f"task {_line(solution.task)}, strategy {strategy}, model {_line(solution.model)}\n"
    lines = solution.source.splitlines()
    width = len(str(min(len(lines), _MAX_LINES)))
    for number, line in enumerate(lines[:_MAX_LINES], 1):
        yield f"  {number:{width}}  {_line(line)}"
    if len(lines) > _MAX_LINES:
        yield f"  and {len(lines) - _MAX_LINES} lines more"
    yield ""
    flagging = [result for result in scored.layers if is_flagged(scored, result.layer)]
    for result in flagging:
        for finding in result.findings[:_MAX_FINDINGS]:
            yield from _finding(result.layer, finding)
        if len(result.findings) > _MAX_FINDINGS:
            yield f"{_line(result.layer)}: and {len(result.findings) - _MAX_FINDINGS} findings more"
    for result in scored.layers:
        for claim in result.claims[:_MAX_FINDINGS]:
            yield f"{_line(result.layer)} claims [{claim.failure_class}], {claim.outcome}: {_line(claim.summary)}"
            if claim.input:
                yield f"    input     {_line(claim.input)}"
    if not flagging:
        yield "no layer flags it"
    yield ""


def _finding(layer: str, finding: Finding) -> Iterator[str]:
    place = " ".join(_line(x) for x in (finding.check, finding.line and f"line {finding.line}") if x)
    yield f"{_line(layer)}: [{finding.failure_class}] {place}: {_line(finding.message)}"
    for name, value in (("input", finding.input), ("returned", finding.actual), ("expected", finding.expected)):
        if value:
            yield textwrap.indent(f"{name:9} {_line(value)}", "    ")


def _line(text: str) -> str:
    """Return one printable line: no control character, escape sequence or direction mark of the text takes effect."""
    shown = text.expandtabs(4)
    shown = shown if len(shown) <= _MAX_LINE else f"{shown[: _MAX_LINE - 3]}..."
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)
