"""Rules about untrusted text that reaches another interpreter: CE302 to CE308."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .constant import argument, truth
from .match import Match, Module, at
from .taint import Taint

_REDIRECTS = frozenset({"flask.redirect", "django.shortcuts.redirect", "django.http.HttpResponseRedirect"})
_RESPONSES = frozenset(
    {"flask.make_response", "flask.Response", "django.http.HttpResponse", "flask.Markup", "markupsafe.Markup"}
)
_TEMPLATES = frozenset({"flask.render_template_string", "jinja2.Template"})
_FETCHES = frozenset(
    [
        f"{client}.{verb}"
        for client in ("requests", "httpx")
        for verb in ("get", "post", "put", "delete", "head", "patch")
    ]
    + ["urllib.request.urlopen", "urllib.request.Request", "urllib.request.urlretrieve"]
)
_XPATH_METHODS = frozenset({"xpath", "find", "findall", "iterfind", "findtext"})
_LDAP_METHODS = frozenset({"search", "search_s", "search_st", "search_ext", "search_ext_s", "simple_bind_s"})


def check_injection(module: Module) -> Iterator[Match]:
    """Yield the matches of the rules about injection, SQL aside."""
    imports_ldap = _imports(module, frozenset({"ldap", "ldap3"}))
    imports_xml = _imports(module, frozenset({"xml", "lxml"}))
    for call, names in module.calls():
        first = call.args[0] if call.args else None
        if names & {"jinja2.Environment", "jinja2.environment.Environment"}:
            autoescape = argument(call, module.names, 99, "autoescape")
            if autoescape is None or truth(module.names, autoescape) is False:
                yield at(call, "CE304-template")
        if first is not None:
            yield from _check_web(module, call, names, first)
        if isinstance(call.func, ast.Attribute):
            texts = [text for given in call.args for text in module.values(given)]
            if imports_ldap and call.func.attr in _LDAP_METHODS and any(_built(module, text) for text in texts):
                yield at(call, "CE302-ldap")
            if imports_xml and call.func.attr in _XPATH_METHODS and any(_built(module, text) for text in texts):
                yield at(call, "CE303-xpath")
    yield from _check_headers(module)


def _check_web(module: Module, call: ast.Call, names: frozenset[str], first: ast.expr) -> Iterator[Match]:
    taint = module.taints.of(first)
    if taint & Taint.REQUEST:
        if names & _REDIRECTS:
            yield at(call, "CE306-redirect")
        if names & _RESPONSES:
            yield at(call, "CE305-response")
    if taint and names & _TEMPLATES:
        yield at(call, "CE304-template")
    if taint and names & _FETCHES:
        yield at(call, "CE307-url")


def _check_headers(module: Module) -> Iterator[Match]:
    """Yield assignments and calls that put request data into a header by its name."""
    for node in module.tree.nodes:
        match node:
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=value):
                pass
            case ast.Call(func=ast.Attribute(value=owner, attr="__setitem__"), args=[key, value]):
                pass
            case _:
                continue
        if not module.taints.of(value) & Taint.REQUEST:
            continue
        header = module.names.text(key) or ""
        is_headers = isinstance(owner, ast.Attribute) and owner.attr == "headers"
        is_response = any(name.endswith(("Response()", "make_response()")) for name in module.names.resolve(owner))
        if is_headers or is_response:
            yield at(node, "CE306-redirect" if header.lower() == "location" else "CE308-header")


def _built(module: Module, text: ast.expr) -> bool:
    """Say whether an untrusted value is put into a longer text."""
    is_put_together = isinstance(text, ast.JoinedStr | ast.BinOp) or (
        isinstance(text, ast.Call)
        and isinstance(text.func, ast.Attribute)
        and text.func.attr in {"format", "join", "replace"}
    )
    return is_put_together and bool(module.taints.of(text))


def _imports(module: Module, packages: frozenset[str]) -> bool:
    for node in module.tree.nodes:
        if isinstance(node, ast.Import) and any(alias.name.partition(".")[0] in packages for alias in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in packages:
            return True
    return False
