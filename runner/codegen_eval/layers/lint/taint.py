"""Which expressions carry an untrusted value as text."""

from __future__ import annotations

import ast
from enum import IntFlag

from .name import Names
from .tree import FUNCTIONS, Scope, parameters


class Taint(IntFlag):
    """Where an untrusted value comes from."""

    NONE = 0
    PARAMETER = 1
    """A parameter that the task calls untrusted. It may well be meant to be used as a whole, as a directory to list."""
    REQUEST = 2
    """A web request, a prompt or the command line: never fit to be used as it is."""


_REQUEST_PARTS = frozenset(
    [
        "GET",
        "POST",
        "args",
        "form",
        "files",
        "headers",
        "values",
        "cookies",
        "data",
        "json",
        "get_json",
        "get_data",
        "params",
        "query_params",
        "FILES",
        "META",
    ]
)
_REQUEST_OBJECTS = frozenset({"flask.request", "bottle.request"})
_REQUEST_CALLS = frozenset({"builtins.input()", "builtins.raw_input()", "sys.argv", "sys.stdin"})
_PASSING_METHODS = frozenset(
    [
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "title",
        "capitalize",
        "casefold",
        "replace",
        "format",
        "encode",
        "decode",
        "join",
        "split",
        "rsplit",
        "splitlines",
        "partition",
        "rpartition",
        "expandtabs",
        "zfill",
        "ljust",
        "rjust",
        "center",
        "removeprefix",
        "removesuffix",
        "translate",
        "get",
        "getlist",
        "read",
        "get_json",
        "get_data",
        "readline",
        "pop",
        "joinpath",
        "with_name",
        "with_suffix",
        "as_posix",
        "expanduser",
        "absolute",
        "absolute",
    ]
)
"""Methods whose result holds the text of the object or its arguments."""
_PASSING_CALLS = frozenset(
    [
        "builtins.str",
        "builtins.bytes",
        "builtins.repr",
        "builtins.format",
        "os.path.join",
        "os.path.expanduser",
        "os.path.expandvars",
        "os.path.normpath",
        "os.fspath",
        "os.fsdecode",
        "os.fsencode",
        "pathlib.Path",
        "pathlib.PurePath",
        "pathlib.PosixPath",
        "pathlib.PurePosixPath",
        "urllib.parse.unquote",
        "urllib.parse.unquote_plus",
        "urllib.parse.urljoin",
        "base64.b64decode",
        "posixpath.join",
    ]
)
_CLEAN_ATTRIBUTES = frozenset({"name", "stem", "suffix"})
"""Parts of a path that hold no separator."""
_MAX_PASSES = 10


class Taints:
    """Untrusted values of one module, followed through assignments and string operations."""

    def __init__(self, names: Names, untrusted: frozenset[str]) -> None:
        self._names = names
        self._tainted: dict[tuple[int, str], Taint] = {}
        self._seed(untrusted)
        self._spread()

    def of(self, node: ast.expr) -> Taint:  # noqa: C901 - one arm per form
        """Say what untrusted text `node` holds."""
        found = Taint.NONE
        stack = [node]
        while stack:
            self._names.tree.budget.spend()
            part = stack.pop()
            match part:
                case ast.Name():
                    found |= self._variable(part) | self._source(part)
                case ast.Attribute():
                    found |= self._source(part)
                    if part.attr not in _CLEAN_ATTRIBUTES:
                        stack.append(part.value)
                case ast.Call():
                    found |= self._source(part)
                    stack += self._passed_on(part)
                case ast.BinOp(op=ast.Add() | ast.Mod() | ast.Div(), left=left, right=right):
                    stack += (left, right)
                case ast.JoinedStr(values=parts) | ast.BoolOp(values=parts):
                    stack += parts
                case ast.Tuple(elts=parts) | ast.List(elts=parts):
                    stack += parts
                case ast.FormattedValue(value=inner) | ast.NamedExpr(value=inner) | ast.Starred(value=inner):
                    stack.append(inner)
                case ast.Subscript(value=inner) | ast.Await(value=inner):
                    stack.append(inner)
                case ast.IfExp(body=body, orelse=orelse):
                    stack += (body, orelse)
                case _:
                    pass
        return found

    def mentions(self, node: ast.expr) -> bool:
        """Say whether any variable anywhere in `node` is an untrusted one."""
        stack: list[ast.AST] = [node]
        while stack:
            self._names.tree.budget.spend()
            part = stack.pop()
            if isinstance(part, ast.Name) and self._variable(part):
                return True
            stack.extend(ast.iter_child_nodes(part))
        return False

    def _variable(self, node: ast.Name) -> Taint:
        scope = self._names.tree.scope(node).lookup(node.id)
        return Taint.NONE if scope is None else self._tainted.get((id(scope), node.id), Taint.NONE)

    def _source(self, node: ast.Name | ast.Attribute | ast.Call) -> Taint:
        if isinstance(node, ast.Attribute) and node.attr in _REQUEST_PARTS and self._is_request(node.value):
            return Taint.REQUEST
        return Taint.REQUEST if self._names.is_named(node, _REQUEST_CALLS) else Taint.NONE

    def _is_request(self, node: ast.expr) -> bool:
        if self._names.is_named(node, _REQUEST_OBJECTS):
            return True
        return (
            isinstance(node, ast.Name)
            and node.id == "request"
            and any(way.parameter for way in self._names.bindings(node))
        )

    def _passed_on(self, call: ast.Call) -> list[ast.expr]:
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        if self._names.is_named(call.func, _PASSING_CALLS):
            return arguments
        if isinstance(call.func, ast.Attribute) and call.func.attr in _PASSING_METHODS:
            return [call.func.value, *arguments]
        return []

    def _seed(self, untrusted: frozenset[str]) -> None:
        for node in self._names.tree.nodes:
            if isinstance(node, FUNCTIONS):
                for parameter in parameters(node):
                    if parameter.arg in untrusted:
                        scope = self._names.tree.scope(parameter)
                        self._tainted[id(scope), parameter.arg] = Taint.PARAMETER

    def _spread(self) -> None:
        scopes: dict[int, Scope] = {}
        for node in self._names.tree.nodes:
            scope = self._names.tree.scope(node)
            scopes[id(scope)] = scope
        for _ in range(_MAX_PASSES):
            changed = False
            for scope in scopes.values():
                for name, ways in scope.bindings.items():
                    before = self._tainted.get((id(scope), name), Taint.NONE)
                    after = before
                    for way in ways:
                        if way.value is not None and not way.parameter:
                            after |= self.of(way.value)
                    if after != before:
                        self._tainted[id(scope), name] = after
                        changed = True
            if not changed:
                return
