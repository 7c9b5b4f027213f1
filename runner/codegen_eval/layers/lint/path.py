"""Rules about files: CE4xx."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .constant import argument
from .match import Match, Module, at
from .taint import Taint
from .tree import Scope, ScopeKind

_MENTIONED: dict[str, str] = {
    "tempfile.mktemp": "CE403-mktemp",
    "os.tempnam": "CE403-mktemp",
    "os.tmpnam": "CE403-mktemp",
}
"""Insecure wherever they are mentioned."""
_JOINS = frozenset({"os.path.join", "posixpath.join", "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"})
_OPENERS = frozenset(
    [
        "builtins.open",
        "io.open",
        "codecs.open",
        "os.open",
        "os.listdir",
        "os.scandir",
        "os.walk",
        "os.remove",
        "os.unlink",
        "os.rmdir",
        "os.mkdir",
        "os.makedirs",
        "os.rename",
        "os.replace",
        "os.stat",
        "os.chmod",
        "glob.glob",
        "glob.iglob",
        "shutil.copy",
        "shutil.copyfile",
        "shutil.move",
        "shutil.rmtree",
        "shutil.copytree",
        "pathlib.Path",
        "pathlib.PurePath",
        "flask.send_file",
        "aiofiles.open",
    ]
)
"""Their first argument is a path."""
_HERE = frozenset({"os.getcwd()", "pathlib.Path.cwd()", "os.curdir"})
_CONTAINMENT_CALLS = frozenset(
    [
        "commonpath",
        "commonprefix",
        "is_relative_to",
        "relative_to",
        "basename",
        "secure_filename",
        "safe_join",
        "isalnum",
        "isidentifier",
        "fullmatch",
        "isabs",
        "is_absolute",
    ]
)
"""Whoever calls these has thought of where the path leads."""
_RESOLVING_CALLS = frozenset({"realpath", "abspath", "resolve", "normpath"})
_WORLD_WRITABLE = 0o002
_ARCHIVES = ("tarfile.open().", "tarfile.TarFile().", "tarfile.TarFile.open().")
_UNPACKERS = ("extractall", "extract")
_SAFE_FILTERS = frozenset({"data", "tar"})


def check_path(module: Module) -> Iterator[Match]:
    """Yield the matches of the rules about files."""
    for node, names in module.references():
        for name in names:
            if name in _MENTIONED:
                yield at(node, _MENTIONED[name])
    guarded = _guarded_scopes(module)
    for part in module.tree.nodes:
        escapes = (isinstance(part, ast.BinOp) and _divides(module, part)) or (
            isinstance(part, ast.Call) and (_joins(module, part) or _opens(module, part))
        )
        if escapes and isinstance(part, ast.expr) and id(_function(module, part)) not in guarded:
            yield at(part, "CE401-path")
    for call, names in module.calls():
        if any(_is_unpacker(name) for name in names) and not _filters(module, call):
            whole = any(name.endswith(("extractall", "unpack_archive")) for name in names)
            if whole or id(_function(module, call)) not in guarded:
                yield at(call, "CE402-tar")
        yield from _check_mode(module, call, names)


def _joins(module: Module, call: ast.Call) -> bool:
    """Say whether an untrusted part comes after a trusted one."""
    parts = call.args
    if module.names.is_named(call.func, _JOINS):
        return len(parts) > 1 and not _is_own_base(module, parts[0]) and _any_tainted(module, parts[1:])
    if isinstance(call.func, ast.Attribute) and call.func.attr == "joinpath" and _is_path(module, call.func.value):
        return not _is_own_base(module, call.func.value) and _any_tainted(module, parts)
    return False


def _divides(module: Module, node: ast.BinOp) -> bool:
    return (
        isinstance(node.op, ast.Div)
        and bool(module.taints.of(node.right))
        and not _is_own_base(module, node.left)
        and _is_path(module, node.left)
    )


def _opens(module: Module, call: ast.Call) -> bool:
    """Say whether a file function gets an untrusted part after a trusted one, or a request's value itself."""
    if not call.args or not module.names.is_named(call.func, _OPENERS):
        return False
    for text in module.values(call.args[0]):
        if not isinstance(text, ast.Call) and module.taints.of(text) & Taint.REQUEST:
            return True
        if module.taints.of(text) & Taint.REQUEST and not isinstance(call.args[0], ast.Call):
            return True
        pieces = _pieces(text)
        if len(pieces) > 1 and not _is_own_base(module, pieces[0]) and _any_tainted(module, pieces[1:]):
            return True
    return False


def _pieces(text: ast.expr) -> list[ast.expr]:
    """Return the operands of a concatenation, f-string, `%` or `format`, in order."""
    match text:
        case ast.JoinedStr(values=values):
            return list(values)
        case ast.BinOp(op=ast.Mod(), left=left, right=right):
            return [left, right] if not _starts_with_hole(left) else [right]
        case ast.Call(func=ast.Attribute(value=owner, attr="format"), args=args):
            return [owner, *args] if not _starts_with_hole(owner) else list(args)
        case _:
            pieces: list[ast.expr] = []
            while isinstance(text, ast.BinOp) and isinstance(text.op, ast.Add):
                pieces.append(text.right)
                text = text.left
            return [text, *reversed(pieces)]


def _starts_with_hole(template: ast.expr) -> bool:
    return (
        isinstance(template, ast.Constant)
        and isinstance(template.value, str)
        and template.value.startswith(("{", "%s", "./{", "./%s"))
    )


def _is_own_base(module: Module, base: ast.expr) -> bool:
    """Say whether the base is itself untrusted, or the current directory: joining to it crosses no border."""
    if isinstance(base, ast.Constant) and base.value in {"", ".", "./"}:
        return True
    return bool(module.taints.of(base)) or module.names.is_named(base, _HERE)


def _any_tainted(module: Module, parts: list[ast.expr]) -> bool:
    return any(module.taints.of(part) for part in parts)


def _is_path(module: Module, node: ast.expr) -> bool:
    part = node
    for _ in range(32):
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
            part = part.left
    if any(name.startswith("pathlib.") for name in module.names.resolve(part)):
        return True
    return isinstance(part, ast.Name) and any(
        isinstance(holder, ast.arg) and holder.annotation is not None and _annotated_path(module, holder.annotation)
        for holder in _declarations(module, part)
    )


def _annotated_path(module: Module, annotation: ast.expr) -> bool:
    return any(name in {"pathlib.Path", "pathlib.PurePath"} for name in module.names.resolve(annotation))


def _declarations(module: Module, node: ast.Name) -> list[ast.arg]:
    scope = module.tree.scope(node).lookup(node.id)
    if scope is None or not isinstance(scope.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    arguments = scope.node.args
    return [a for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if a.arg == node.id]


def _function(module: Module, node: ast.expr) -> Scope:
    """Return the outermost function round `node`, or the module: a check anywhere in it counts."""
    scope: Scope | None = module.tree.scope(node)
    found = module.tree.top
    while scope is not None:
        if scope.kind is ScopeKind.FUNCTION:
            found = scope
        scope = scope.parent
    return found


def _guarded_scopes(module: Module) -> frozenset[int]:
    """Return the ids of the functions that check where an untrusted path leads."""
    guarded: set[int] = set()
    resolving: set[int] = set()
    prefixing: set[int] = set()
    for node in module.tree.nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr=tail) | ast.Name(id=tail)):
                function = id(_function(module, node))
                if tail in _CONTAINMENT_CALLS:
                    guarded.add(function)
                elif tail in _RESOLVING_CALLS:
                    resolving.add(function)
                elif tail == "startswith":
                    prefixing.add(function)
            case ast.Attribute(attr="parents" | "parent"):
                prefixing.add(id(_function(module, node)))
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[among]):
                names_parent = isinstance(left, ast.Constant) and left.value in {"..", "/", "../", "\\"}
                if names_parent or (module.taints.of(left) and not module.taints.of(among)):
                    guarded.add(id(_function(module, node)))
            case _:
                pass
    return frozenset(guarded | (resolving & prefixing))


def _is_unpacker(name: str) -> bool:
    return name == "shutil.unpack_archive" or (name.startswith(_ARCHIVES) and name.endswith(_UNPACKERS))


def _filters(module: Module, call: ast.Call) -> bool:
    chosen = argument(call, module.names, 99, "filter")
    return chosen is not None and (
        module.names.text(chosen) in _SAFE_FILTERS
        or module.names.is_named(chosen, frozenset({"tarfile.data_filter", "tarfile.tar_filter"}))
    )


def _check_mode(module: Module, call: ast.Call, names: frozenset[str]) -> Iterator[Match]:
    is_method = isinstance(call.func, ast.Attribute) and _is_path(module, call.func.value) and call.func.attr == "chmod"
    position = 1 if names & {"os.chmod", "os.fchmod", "os.lchmod"} else 0 if is_method else None
    if position is None:
        return
    mode = argument(call, module.names, position, "mode")
    writable = isinstance(mode, ast.Constant) and isinstance(mode.value, int) and mode.value & _WORLD_WRITABLE
    named = mode is not None and module.names.is_named(mode, frozenset({"stat.S_IRWXO", "stat.S_IWOTH"}))
    if writable or named or (isinstance(mode, ast.Name) and _held_mode(module, mode)):
        yield at(call, "CE404-permissions")


def _held_mode(module: Module, mode: ast.Name) -> bool:
    return any(
        isinstance(value, ast.Constant) and isinstance(value.value, int) and bool(value.value & _WORLD_WRITABLE)
        for value in module.values(mode)
    )
