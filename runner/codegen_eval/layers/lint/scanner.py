"""The insecure-pattern scanner: source in, findings out; pure, iterative and bounded."""

from __future__ import annotations

import ast
import warnings

from codegen_eval.verdict import FailureClass, Finding

from .crypto import check_crypto
from .execution import check_execution
from .guard import check_guard
from .injection import check_injection
from .loading import check_loading
from .match import Check, Match, Module
from .name import Names
from .path import check_path
from .rule import rule
from .secret import check_secret
from .sql import check_sql
from .taint import Taints
from .tree import Budget, Tree, UnfinishedError

CHECKS: tuple[Check, ...] = (
    check_execution,
    check_loading,
    check_sql,
    check_injection,
    check_path,
    check_secret,
    check_crypto,
    check_guard,
)
"""All families of rules."""
MAX_FINDINGS = 100
"""Findings reported for one solution; the verdict needs one."""


def scan(source: str, untrusted: frozenset[str]) -> tuple[Finding, ...]:
    """Return what is insecure in `source`, by line; `untrusted` names the parameters that come from outside.

    Source that Python doesn't compile gives one SYNTAX_ERROR, source that the scanner can't finish on one UNANALYSABLE.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "<solution>", "exec", dont_inherit=True)
        except SyntaxError as fault:
            line = fault.lineno if isinstance(fault.lineno, int) and fault.lineno > 0 else None
            return (_syntax_error("Python doesn't compile it", line),)
        except (ValueError, RecursionError, OverflowError) as fault:
            return (_syntax_error(f"Python doesn't compile it ({type(fault).__name__})", None),)
        except MemoryError:
            return (unanalysable("compiling it takes more memory or depth than there is"),)
        try:
            matches = find(source, untrusted)
        except UnfinishedError as fault:
            return (unanalysable(str(fault)),)
        except (RecursionError, MemoryError, ValueError, SyntaxError) as fault:
            return (unanalysable(f"the analysis ends with {type(fault).__name__}"),)
    return tuple(_finding(match) for match in matches[:MAX_FINDINGS])


def find(source: str, untrusted: frozenset[str]) -> list[Match]:
    """Return the matches in source that compiles, by line.

    Raises:
        UnfinishedError: it takes more than the scanner has.

    """
    tree = Tree(ast.parse(source), Budget())
    names = Names(tree)
    module = Module(tree, names, Taints(names, untrusted))
    return sorted({match for check in CHECKS for match in check(module)})


def unanalysable(why: str) -> Finding:
    """Return the finding for source that can't be analysed."""
    return Finding(
        failure_class=FailureClass.UNANALYSABLE,
        message=f"the scanner can't finish on this source: {why}",
        check="CE002-unanalysable",
    )


def _syntax_error(message: str, line: int | None) -> Finding:
    return Finding(failure_class=FailureClass.SYNTAX_ERROR, message=message, check="CE001-syntax", line=line)


def _finding(match: Match) -> Finding:
    matched = rule(match.rule)
    return Finding(
        failure_class=FailureClass.INSECURE_PATTERN,
        message=matched.reason,
        check=matched.id,
        line=match.line,
        cwe=matched.cwe,
    )
