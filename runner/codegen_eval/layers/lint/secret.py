"""Rules about secrets: hard-coded ones (CE501) and predictable ones (CE504)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .match import Match, Module, at
from .tree import ScopeKind

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSWORDS = frozenset({"password", "passwd", "passwort", "pwd", "passphrase", "pass"})
"""Names whose value is a secret whatever it looks like."""
_KEYS = frozenset({"secret", "token", "apikey", "credential", "credentials"})
_KEY_PAIRS = frozenset(
    {"api key", "secret key", "private key", "access key", "auth key", "encryption key", "signing key"}
)
"""Names whose value is a secret if it looks like one: parsers have tokens, too."""
_PLACEHOLDERS = re.compile(
    r"^(?:x+|\*+|\.+|-+|_+|none|null|str|string|text|todo|changeme|change[-_ ]me|placeholder|example|"
    r"dummy|redacted|password|passwd|token|secret|hidden|your[-_ ].*|my[-_ ].*|<.*>|\$?\{.*\}|%.*%|\[.*\]|env:.*)$",
    re.IGNORECASE,
)
_MIN_KEY = 8
_MAX_NAME = 100
_RANDOM = frozenset(
    f"random.{owner}{name}"
    for owner in ("", "Random().")
    for name in (
        "random",
        "randint",
        "randrange",
        "choice",
        "choices",
        "sample",
        "getrandbits",
        "uniform",
        "shuffle",
        "randbytes",
    )
)
_MADE = frozenset({*_PASSWORDS, "secret", "token", "otp", "nonce", "salt", "apikey", "csrf", "captcha"})


def check_secret(module: Module) -> Iterator[Match]:
    """Yield literals that are secrets, and secrets made by a predictable generator."""
    for node in module.tree.nodes:
        for name, value in _named_values(node):
            if isinstance(node, ast.expr | ast.stmt | ast.keyword) and _is_secret(
                name, value, compared=isinstance(node, ast.Compare)
            ):
                yield at(value, "CE501-secret")
    for call, names in module.calls():
        if names & _RANDOM and any(_words(name) & _MADE for name in _purposes(module, call)):
            yield at(call, "CE504-random")


def _named_values(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:  # noqa: C901 - one arm per form
    """Yield pairs of a name and the expression that is given to it, or compared with it."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((name, value) for target in targets for name in _names(target))
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
            yield from ((name, value) for name in _names(target))
        case ast.keyword(arg=str(name), value=value):
            yield name, value
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            yield from ((name, right) for name in _names(left))
            yield from ((name, left) for name in _names(right))
        case ast.FunctionDef(args=arguments) | ast.AsyncFunctionDef(args=arguments):
            positional = [*arguments.posonlyargs, *arguments.args]
            for parameter, default in zip(reversed(positional), reversed(arguments.defaults), strict=False):
                yield parameter.arg, default
            for parameter, given in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
                if given is not None:
                    yield parameter.arg, given
        case _:
            pass


def _names(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            yield name
        case _:
            pass


def _is_secret(name: str, value: ast.expr, *, compared: bool) -> bool:
    text: object = value.value if isinstance(value, ast.Constant) else None
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    if not isinstance(text, str) or not text or len(name) > _MAX_NAME or re.search(r"\s", text):
        return False
    words = _WORDS.findall(name)
    last = words[-1].lower() if words else ""
    pair = " ".join(word.lower() for word in words[-2:])
    placeholder = _PLACEHOLDERS.match(text) is not None
    if last in _PASSWORDS:
        return (compared or not placeholder) and (last != "pass" or _looks_random(text))
    return (last in _KEYS or pair in _KEY_PAIRS) and not placeholder and _looks_random(text)


def _looks_random(text: str) -> bool:
    """Say whether a text looks like a key: long enough, of mixed kinds of characters, no path and no URL."""
    if len(text) < _MIN_KEY or "://" in text:
        return False
    kinds = (r"[a-z]", r"[A-Z]", r"[0-9]", r"[^A-Za-z0-9_./-]")
    return sum(re.search(kind, text) is not None for kind in kinds) > 1


def _words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORDS.findall(name[:200]))


def _purposes(module: Module, call: ast.Call) -> Iterator[str]:
    """Yield the names of the functions round a call, and of what its value is assigned to."""
    scope = module.tree.scope(call).function
    if scope.kind is ScopeKind.FUNCTION and isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield scope.node.name
    holder = module.tree.parent(call)
    for _ in range(16):
        if holder is None or isinstance(holder, ast.stmt | ast.keyword):
            break
        holder = module.tree.parent(holder)
    if isinstance(holder, ast.Assign):
        for target in holder.targets:
            yield from _names(target)
    elif isinstance(holder, ast.AnnAssign):
        yield from _names(holder.target)
    elif isinstance(holder, ast.keyword) and holder.arg is not None:
        yield holder.arg
