"""Rules about turning data into objects: CE2xx."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .constant import argument, is_fixed, keyword, truth
from .match import Match, Module, at

_MENTIONED: dict[str, str] = {
    **{
        f"{module}.{name}": "CE201-pickle"
        for module in ("pickle", "_pickle", "cPickle", "dill", "cloudpickle")
        for name in ("load", "loads", "Unpickler", "_load", "_loads", "_Unpickler")
    },
    "multiprocessing.connection.Client().recv": "CE201-pickle",
    "multiprocessing.connection.Listener().accept().recv": "CE201-pickle",
    "shelve.open": "CE201-pickle",
    "shelve.DbfilenameShelf": "CE201-pickle",
    "jsonpickle.decode": "CE201-pickle",
    "jsonpickle.loads": "CE201-pickle",
    "joblib.load": "CE201-pickle",
    "pandas.read_pickle": "CE201-pickle",
    "yaml.unsafe_load": "CE202-yaml",
    "yaml.unsafe_load_all": "CE202-yaml",
    "yaml.full_load": "CE202-yaml",
    "yaml.full_load_all": "CE202-yaml",
    "marshal.load": "CE203-marshal",
    "marshal.loads": "CE203-marshal",
}
"""Insecure wherever they are mentioned."""
_YAML_LOADS = frozenset({"yaml.load", "yaml.load_all"})
_SAFE_LOADERS = frozenset(
    {"yaml.SafeLoader", "yaml.CSafeLoader", "yaml.BaseLoader", "yaml.CBaseLoader", "yaml.loader.SafeLoader"}
)
_XML_PARSERS = frozenset(
    f"xml.{module}.{name}"
    for module, names in {
        "etree.ElementTree": ("parse", "iterparse", "fromstring", "fromstringlist", "XML"),
        "etree.cElementTree": ("parse", "iterparse", "fromstring", "XML"),
        "dom.minidom": ("parse", "parseString"),
        "dom.pulldom": ("parse", "parseString"),
        "dom.expatbuilder": ("parse", "parseString"),
        "sax": ("parse", "parseString"),
    }.items()
    for name in names
) | {"xmlrpc.client.loads", "xml.etree.ElementTree.XMLParser().feed", "xml.parsers.expat.ParserCreate().Parse"}
_LXML_PARSERS = frozenset({"lxml.etree.parse", "lxml.etree.fromstring", "lxml.etree.XML", "lxml.etree.iterparse"})
_LXML_PARSER = "lxml.etree.XMLParser()"
_EXTERNAL = frozenset({"xml.sax.handler.feature_external_ges", "xml.sax.handler.feature_external_pes"})


def check_loading(module: Module) -> Iterator[Match]:
    """Yield the matches of the rules about turning data into objects."""
    for node, names in module.references():
        for name in names:
            if name in _MENTIONED and not _copies(module, node):
                yield at(node, _MENTIONED[name])
    for call, names in module.calls():
        if names & _YAML_LOADS:
            loader = argument(call, module.names, 1, "Loader")
            if loader is None or not module.names.is_named(loader, _SAFE_LOADERS):
                yield at(call, "CE202-yaml")
        if "numpy.load" in names:
            allow = keyword(call, module.names, "allow_pickle")
            if allow is not None and truth(module.names, allow) is not False:
                yield at(call, "CE201-pickle")
        yield from _check_xml(module, call, names)


def _copies(module: Module, node: ast.expr) -> bool:
    """Say whether this loads what was surely dumped in the same breath, as `pickle.loads(pickle.dumps(x))`."""
    match module.tree.parent(node):
        case ast.Call(func=func, args=[ast.Call(func=ast.Attribute() as dump)]) if func is node:
            loads, dumps = module.names.resolve(node), module.names.resolve(dump)
            wanted = {f"{name.rpartition('.')[0]}.dumps" for name in loads}
            return dumps == wanted and not any(
                isinstance(other, ast.Attribute) and other.attr == "dumps" and isinstance(other.ctx, ast.Store)
                for other in module.tree.nodes
            )
        case _:
            return False


def _check_xml(module: Module, call: ast.Call, names: frozenset[str]) -> Iterator[Match]:
    computed = bool(call.args) and not is_fixed(module.names, call.args[0])
    if (names & _XML_PARSERS and computed) or (
        names & _LXML_PARSERS and computed and not _resolves_nothing(module, call)
    ):
        yield at(call, "CE204-xml")
    if isinstance(call.func, ast.Attribute) and call.func.attr == "setFeature" and len(call.args) > 1:
        feature, value = call.args[:2]
        external = module.names.is_named(feature, _EXTERNAL) or (
            isinstance(feature, ast.Name) and feature.id.startswith("feature_external")
        )
        if external and truth(module.names, value) is True:
            yield at(call, "CE204-xml")


def _resolves_nothing(module: Module, call: ast.Call) -> bool:
    parser = argument(call, module.names, 1, "parser")
    if parser is None or not module.names.is_named(parser, frozenset({_LXML_PARSER})):
        return False
    for made in module.values(parser):
        if isinstance(made, ast.Call):
            resolves = keyword(made, module.names, "resolve_entities")
            if resolves is not None and truth(module.names, resolves) is False:
                return True
    return False
