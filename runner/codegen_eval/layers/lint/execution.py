"""Rules about running code and commands: CE1xx."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator

from .constant import argument, is_fixed, keyword, truth
from .match import Match, Module, at

_MENTIONED: dict[str, str] = {
    "builtins.eval": "CE101-eval",
    "builtins.exec": "CE102-exec",
    "builtins.execfile": "CE102-exec",
    "pandas.eval": "CE101-eval",
    "sympy.sympify": "CE101-eval",
    "sympy.parse_expr": "CE101-eval",
    "sympy.parsing.sympy_parser.parse_expr": "CE101-eval",
    "numexpr.evaluate": "CE101-eval",
    "code.interact": "CE107-interactive",
    "code.InteractiveInterpreter": "CE107-interactive",
    "code.InteractiveConsole": "CE107-interactive",
    "codeop.compile_command": "CE107-interactive",
    "pty.spawn": "CE107-interactive",
    "runpy.run_path": "CE107-interactive",
    "runpy.run_module": "CE107-interactive",
    "os.system": "CE110-os-command",
    "ctypes.CDLL().system": "CE110-os-command",
    "ctypes.CDLL().popen": "CE110-os-command",
    "ctypes.PyDLL().system": "CE110-os-command",
    "ctypes.cdll.LoadLibrary().system": "CE110-os-command",
    "os.popen": "CE110-os-command",
    "os.popen2": "CE110-os-command",
    "os.popen3": "CE110-os-command",
    "os.popen4": "CE110-os-command",
    "os.startfile": "CE110-os-command",
    "posix.system": "CE110-os-command",
    "nt.system": "CE110-os-command",
    "commands.getoutput": "CE110-os-command",
    "commands.getstatusoutput": "CE110-os-command",
    "subprocess.getoutput": "CE112-shell-true",
    "subprocess.getstatusoutput": "CE112-shell-true",
    "asyncio.create_subprocess_shell": "CE112-shell-true",
    "asyncio.subprocess.create_subprocess_shell": "CE112-shell-true",
    **{f"os.exec{end}": "CE111-process" for end in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")},
    **{f"posix.exec{end}": "CE111-process" for end in ("v", "ve")},
    **{f"os.spawn{end}": "CE111-process" for end in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")},
    "os.posix_spawn": "CE111-process",
    "os.posix_spawnp": "CE111-process",
}
"""Insecure wherever they are mentioned, called or not: a reference that is passed on is called elsewhere."""
_SUBPROCESS = frozenset(f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen"))
_STARTED_APART = frozenset({"asyncio.create_subprocess_exec", "asyncio.subprocess.create_subprocess_exec"})
_SHELL_POSITION = 8
"""Of `shell` among the positional parameters of `Popen`."""
_INTERPRETER = re.compile(r"(?:ba|z|da|k)?sh|cmd(?:\.exe)?|powershell|python[\d.]*")
_STARTERS = frozenset({"env", "nice", "nohup", "sudo", "timeout", "stdbuf", "setsid", "xargs"})
"""They run the command that stands behind them."""
_SHELL_SWITCH = re.compile(r"-[A-Za-z]*c|/[cC]|-Command")
_THIS_PYTHON = frozenset({"sys.executable"})
_ONLY_AST = frozenset({"ast.PyCF_ONLY_AST"})
_LOOKUP_OWNERS = frozenset({"builtins", "os", "subprocess", "posix"})
_COMPUTED_LOOKUPS = frozenset({"builtins.__dict__[]", "os.__dict__[]", "builtins[]", "builtins.__builtins__[]"})
_ESCAPES = frozenset({"__subclasses__", "__globals__", "func_globals", "__builtins__", "gi_frame", "f_globals"})
_BUILTINS = frozenset({"builtins", "builtins.__builtins__", "builtins.__dict__"})
_HARMLESS_LOOKUPS = frozenset(
    {
        "builtins.getattr",
        "builtins.hasattr",
        "builtins.dir",
        "builtins.vars",
        "builtins.isinstance",
    }
)
_TIMERS = frozenset({"timeit.timeit", "timeit.repeat", "timeit.Timer"})
"""They take a function as well as a text."""
_RUNNERS = frozenset(
    f"{owner}.{name}"
    for owner, names in {
        "cProfile": ("run", "runctx"),
        "cProfile.Profile()": ("run", "runctx"),
        "profile": ("run", "runctx"),
        "profile.Profile()": ("run", "runctx"),
        "trace.Trace()": ("run", "runctx"),
        "bdb.Bdb()": ("run", "runeval", "runctx"),
        "pdb.Pdb()": ("run", "runeval", "runctx"),
        "pdb": ("run", "runeval", "runctx"),
        "doctest": ("debug_src", "debug_script"),
        "ctypes.pythonapi": ("PyRun_SimpleString", "PyRun_SimpleStringFlags", "PyRun_String"),
    }.items()
    for name in names
)
"""They take a text only."""
_FORWARD_REFERENCES = frozenset({"typing.ForwardRef", "typing_extensions.ForwardRef", "annotationlib.ForwardRef"})
_ANNOTATION_READERS = frozenset(
    {
        "typing.get_type_hints",
        "typing_extensions.get_type_hints",
        "annotationlib.call_annotate_function",
    }
)
"""They run annotations that are texts."""
_INSPECTORS = frozenset({"inspect.get_annotations", "inspect.signature", "annotationlib.get_annotations"})
"""They do so where `eval_str` says so."""
_ANNOTATIONS = "__annotations__"
_FACTORY = "()"
"""The key of a logging configuration that names what is called."""
_DYNAMIC_IMPORTS = frozenset({"builtins.__import__", "importlib.import_module"})


def check_execution(module: Module) -> Iterator[Match]:
    """Yield the matches of the rules about running code and commands."""
    for node, names in module.references():
        for name in names:
            if name in _MENTIONED:
                yield at(node, _MENTIONED[name])
        if names & _COMPUTED_LOOKUPS:
            yield at(node, "CE104-dynamic-lookup")
    for call, names in module.calls():
        yield from _check_call(module, call, names)
    yield from _check_introspection(module)
    yield from _check_annotations(module)


def _check_call(module: Module, call: ast.Call, names: frozenset[str]) -> Iterator[Match]:
    first = call.args[0] if call.args else None
    if "builtins.compile" in names and not _only_parses(module, call):
        yield at(call, "CE103-compile")
    if names & _SUBPROCESS:
        yield from _check_subprocess(module, call)
    if names & _STARTED_APART and _is_shell_command(module, call.args):
        yield at(call, "CE113-shell-command")
    if first is None:
        return
    if "functools.partial" in names and module.names.is_named(first, _SUBPROCESS):
        yield from _check_subprocess(module, call)
    computed = len(call.args) > 1 and module.names.text(call.args[1]) is None
    if "builtins.getattr" in names and computed and module.names.is_named(first, _LOOKUP_OWNERS):
        yield at(call, "CE104-dynamic-lookup")
    if "unittest.mock.patch.object" in names and not computed:
        return
    handed_over = any(module.names.is_named(given, _BUILTINS) for given in call.args)
    if handed_over and not names & _HARMLESS_LOOKUPS:
        yield at(call, "CE104-dynamic-lookup")
    yield from _check_text(module, call, first, names)


def _check_text(module: Module, call: ast.Call, first: ast.expr, names: frozenset[str]) -> Iterator[Match]:
    """Yield where what is handed over is a text that is imported or run."""
    if names & _DYNAMIC_IMPORTS and module.taints.of(first):
        yield at(call, "CE106-dynamic-import")
    timed = module.taints.of(first) or any(_is_built(module, value) for value in module.values(first))
    varying = not is_fixed(module.names, first)
    if (names & _TIMERS and timed) or (names & _RUNNERS and varying):
        yield at(call, "CE107-interactive")
    if names & _FORWARD_REFERENCES and varying:
        yield at(call, "CE101-eval")
    if "logging.config.fileConfig" in names and module.taints.of(first):
        yield at(call, "CE107-interactive")
    if "logging.config.dictConfig" in names and _names_a_factory(module, first):
        yield at(call, "CE106-dynamic-import")


def _names_a_factory(module: Module, configuration: ast.expr) -> bool:
    """Say whether an untrusted value of a logging configuration is imported and called."""
    parts = list(module.values(configuration))
    for part in parts:
        module.tree.budget.spend()
        if not isinstance(part, ast.Dict):
            continue
        for key, value in zip(part.keys, part.values, strict=True):
            if key is not None and module.names.text(key) == _FACTORY and module.taints.of(value):
                return True
            if isinstance(value, ast.Dict):
                parts.append(value)
    return False


def _check_annotations(module: Module) -> Iterator[Match]:
    """Yield where annotations get a text that isn't fixed, in a module that runs annotations."""
    if not any(names & _ANNOTATION_READERS for _, names in module.references()) and not any(
        names & _INSPECTORS and keyword(call, module.names, "eval_str") is not None for call, names in module.calls()
    ):
        return
    for node in module.tree.nodes:
        given: list[ast.expr] = []
        match node:
            case ast.Assign(targets=[ast.Subscript() as target], value=value) if _is_annotations(target):
                given = [value]
            case ast.Assign(targets=[target], value=ast.Dict(values=values)) if _is_annotations(target):
                given = values
            case ast.Call(func=ast.Attribute(value=owner, attr="update" | "__setitem__"), args=args):
                given = args if _is_annotations(owner) else []
            case ast.Call(func=func, args=[_, key, value]) if module.names.is_named(
                func, frozenset({"builtins.setattr"})
            ):
                given = [value] if module.names.text(key) == _ANNOTATIONS else []
            case ast.Dict(keys=keys, values=values):
                given = [
                    value
                    for key, value in zip(keys, values, strict=True)
                    if key is not None and module.names.text(key) == _ANNOTATIONS
                ]
            case _:
                pass
        if any(_may_be_text(module, value) for value in _items(given)):
            yield at(given[0], "CE101-eval")


def _items(values: list[ast.expr]) -> list[ast.expr]:
    """Return these values, and those that dictionaries among them hold."""
    return values + [item for value in values if isinstance(value, ast.Dict) for item in value.values]


def _may_be_text(module: Module, value: ast.expr) -> bool:
    """Say whether a value is untrusted, built from what isn't fixed, or a parameter."""
    if module.taints.of(value) or any(_is_built(module, way) for way in module.values(value)):
        return True
    return isinstance(value, ast.Name) and any(way.parameter for way in module.names.bindings(value))


def _is_annotations(node: ast.expr) -> bool:
    """Say whether this is `x.__annotations__` or an item of it."""
    inner = node.value if isinstance(node, ast.Subscript) else node
    return isinstance(inner, ast.Attribute) and inner.attr == _ANNOTATIONS


def _is_built(module: Module, value: ast.expr) -> bool:
    """Say whether a value is a text that is put together from what is not fixed."""
    return isinstance(value, ast.BinOp | ast.JoinedStr) and not is_fixed(module.names, value)


def _only_parses(module: Module, call: ast.Call) -> bool:
    flags = argument(call, module.names, 3, "flags")
    parts = [] if flags is None else [flags]
    for part in parts:
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr):
            parts += (part.left, part.right)
    return any(module.names.is_named(part, _ONLY_AST) for part in parts)


def _check_subprocess(module: Module, call: ast.Call) -> Iterator[Match]:
    shell = argument(call, module.names, _SHELL_POSITION, "shell")
    if shell is not None and _may_be_true(module, shell):
        yield at(call, "CE112-shell-true")
    command = argument(call, module.names, 0, "args")
    for value in [] if command is None else module.values(command):
        if _is_shell_command(module, _words_of(value)):
            yield at(call, "CE113-shell-command")


def _words_of(command: ast.expr) -> list[ast.expr]:
    """Return the words of a command that is a list, or lists put together; none of another."""
    found: list[ast.expr] = []
    left = [command]
    while left:
        match left.pop():
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                left += reversed(parts)
            case ast.BinOp(op=ast.Add(), left=first, right=second):
                left += (second, first)
            case ast.Starred(value=inner):
                left.append(inner)
            case ast.expr() as word:
                found.append(word)
    return found


def _is_shell_command(module: Module, words: list[ast.expr]) -> bool:
    """Say whether these are a shell or Python, a switch that takes a command, and a command that isn't fixed."""
    names = [(module.names.text(word) or "").rpartition("/")[2] for word in words]
    start = 0
    if names[:1] and names[0] in _STARTERS:
        start = next((place for place, name in enumerate(names) if _INTERPRETER.fullmatch(name)), len(words))
    elif not (words and (_INTERPRETER.fullmatch(names[0]) or module.names.is_named(words[0], _THIS_PYTHON))):
        return False
    rest = words[start + 1 :]
    for switch, command in itertools.pairwise(rest):
        if _SHELL_SWITCH.fullmatch(module.names.text(switch) or ""):
            return not is_fixed(module.names, command)
    return False


def _may_be_true(module: Module, shell: ast.expr) -> bool:
    known = truth(module.names, shell)
    if known is not None:
        return known
    if isinstance(shell, ast.Name):
        ways = module.names.bindings(shell)
        if ways and all(
            way.parameter and (way.value is None or truth(module.names, way.value) is False) for way in ways
        ):
            return False
    return True


def _check_introspection(module: Module) -> Iterator[Match]:
    for node in module.tree.nodes:
        match node:
            case ast.Attribute(attr="__subclasses__") if not _starts_from_class(node):
                pass
            case ast.Attribute(attr=attr) if attr in _ESCAPES:
                yield at(node, "CE105-introspection")
            case ast.Call(func=func, args=[_, name, *_]) if module.names.is_named(
                func, frozenset({"builtins.getattr"})
            ):
                if module.names.text(name) in _ESCAPES:
                    yield at(node, "CE105-introspection")
            case ast.Subscript(value=owner, slice=key):
                if module.names.text(key) == "__builtins__" and isinstance(owner, ast.Call | ast.Attribute):
                    yield at(node, "CE105-introspection")
            case _:
                pass


def _starts_from_class(node: ast.Attribute) -> bool:
    """Say whether the subclasses are those of a class that is reached from an object, or of `object`."""
    part: ast.expr = node.value
    for _ in range(32):
        match part:
            case ast.Attribute(attr="__class__" | "__base__" | "__bases__" | "__mro__") | ast.Name(id="object"):
                return True
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                part = inner
            case _:
                return False
    return False
