"""Rules about cryptography and transport: CE502, CE503, CE505, CE506 and CE6xx."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .constant import argument, keyword, truth
from .match import Match, Module, at

_BROKEN_HASHES = frozenset({"md2", "md4", "md5", "sha1", "sha", "sha-1"})
_HASH_CALLS = frozenset({"hashlib.md5", "hashlib.sha1", "_md5.md5", "_sha1.sha1"})
_MENTIONED: dict[str, str] = {
    **{
        f"{package}.Hash.{name}.new": "CE502-hash"
        for package in ("Crypto", "Cryptodome")
        for name in ("MD2", "MD4", "MD5", "SHA", "SHA1")
    },
    "cryptography.hazmat.primitives.hashes.MD5": "CE502-hash",
    "cryptography.hazmat.primitives.hashes.SHA1": "CE502-hash",
    **{
        f"{package}.Cipher.{name}.new": "CE503-cipher"
        for package in ("Crypto", "Cryptodome")
        for name in ("DES", "DES3", "ARC2", "ARC4", "Blowfish", "CAST", "XOR")
    },
    **{f"{package}.Cipher.AES.MODE_ECB": "CE503-cipher" for package in ("Crypto", "Cryptodome")},
    **{
        f"cryptography.hazmat.primitives.ciphers.algorithms.{name}": "CE503-cipher"
        for name in ("ARC4", "Blowfish", "IDEA", "TripleDES", "CAST5", "SEED")
    },
    "cryptography.hazmat.primitives.ciphers.modes.ECB": "CE503-cipher",
    "ssl._create_unverified_context": "CE601-tls",
    "ssl._create_stdlib_context": "CE601-tls",
    "ssl.wrap_socket": "CE601-tls",
    "ssl.PROTOCOL_SSLv2": "CE601-tls",
    "ssl.PROTOCOL_SSLv3": "CE601-tls",
    "ssl.PROTOCOL_SSLv23": "CE601-tls",
    "ssl.PROTOCOL_TLSv1": "CE601-tls",
    "ssl.PROTOCOL_TLSv1_1": "CE601-tls",
    "paramiko.AutoAddPolicy": "CE601-tls",
    "paramiko.WarningPolicy": "CE601-tls",
    "telnetlib.Telnet": "CE602-cleartext",
    "ftplib.FTP": "CE602-cleartext",
}
"""Insecure wherever they are mentioned."""
_HTTP_CLIENTS = ("requests.", "httpx.")
_MIN_BITS = 2048
_KEY_MAKERS: dict[str, int] = {
    **{f"{p}.PublicKey.{a}.generate": 0 for p in ("Crypto", "Cryptodome") for a in ("DSA", "RSA")},
    "cryptography.hazmat.primitives.asymmetric.dsa.generate_private_key": 0,
    "cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key": 1,
}
"""Functions that make keys, and the position of the number of bits."""


def check_crypto(module: Module) -> Iterator[Match]:
    """Yield the matches of the rules about cryptography and transport."""
    for node, names in module.references():
        for name in names:
            if name in _MENTIONED:
                yield at(node, _MENTIONED[name])
        holder = module.tree.parent(node)
        is_called = isinstance(node, ast.Call) or (isinstance(holder, ast.Call) and holder.func is node)
        if names & _HASH_CALLS and not is_called:
            yield at(node, "CE502-hash")
    for call, names in module.calls():
        yield from _check_hash(module, call, names)
        yield from _check_key(module, call, names)
        yield from _check_transport(module, call, names)
    for statement in module.tree.nodes:
        if isinstance(statement, ast.Assign):
            yield from _check_setting(module, statement)


def _check_hash(module: Module, call: ast.Call, names: frozenset[str]) -> Iterator[Match]:
    broken = bool(names & _HASH_CALLS)
    if "hashlib.new" in names:
        algorithm = argument(call, module.names, 0, "name")
        broken = algorithm is not None and (module.names.text(algorithm) or "").lower() in _BROKEN_HASHES
    if broken:
        used = keyword(call, module.names, "usedforsecurity")
        if used is None or truth(module.names, used) is not False:
            yield at(call, "CE502-hash")


def _check_key(module: Module, call: ast.Call, names: frozenset[str]) -> Iterator[Match]:
    for name in names & _KEY_MAKERS.keys():
        bits = argument(call, module.names, _KEY_MAKERS[name], "key_size" if "asymmetric" in name else "bits")
        if isinstance(bits, ast.Constant) and isinstance(bits.value, int) and bits.value < _MIN_BITS:
            yield at(call, "CE505-key-size")
    if names & {"jwt.decode", "jose.jwt.decode"}:
        options = keyword(call, module.names, "options")
        verify = keyword(call, module.names, "verify")
        unverified = verify is not None and truth(module.names, verify) is False
        for value in [] if options is None else module.values(options):
            if isinstance(value, ast.Dict):
                for key, setting in zip(value.keys, value.values, strict=True):
                    named = key is not None and module.names.text(key) == "verify_signature"
                    unverified = unverified or (named and truth(module.names, setting) is False)
        if unverified:
            yield at(call, "CE506-jwt")


def _check_transport(module: Module, call: ast.Call, names: frozenset[str]) -> Iterator[Match]:
    if any(name.startswith(_HTTP_CLIENTS) for name in names):
        verify = keyword(call, module.names, "verify")
        if verify is not None and truth(module.names, verify) is False:
            yield at(call, "CE601-tls")
    if names & {"flask.Flask().run", "builtins.app.run", "app.run"}:
        debug = keyword(call, module.names, "debug")
        if debug is not None and truth(module.names, debug) is True:
            yield at(call, "CE603-debug")


def _check_setting(module: Module, node: ast.Assign) -> Iterator[Match]:
    off = truth(module.names, node.value) is False
    for target in node.targets:
        if not isinstance(target, ast.Attribute):
            continue
        match target.attr:
            case "verify_mode":
                unsafe = module.names.is_named(node.value, frozenset({"ssl.CERT_NONE"}))
            case "check_hostname":
                unsafe = off
            case "_create_default_https_context":
                unsafe = module.names.is_named(target.value, frozenset({"ssl"}))
            case "verify":
                unsafe = off and any(n.startswith(_HTTP_CLIENTS) for n in module.names.resolve(target.value))
            case _:
                unsafe = False
        if unsafe:
            yield at(node, "CE601-tls")
