"""The rules of the insecure-pattern scanner: one table, one reason per line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One insecure pattern."""

    id: str
    cwe: int
    reason: str
    """What a finding says."""


RULES: tuple[Rule, ...] = (
    # code and commands
    Rule("CE101-eval", 95, "`eval` runs a string as code"),
    Rule("CE102-exec", 94, "`exec` runs a string as code"),
    Rule("CE103-compile", 94, "`compile` makes code of a string"),
    Rule("CE104-dynamic-lookup", 470, "a function of `builtins`, `os` or `subprocess` is looked up by a computed name"),
    Rule("CE105-introspection", 94, "interpreter internals are reached by introspection"),
    Rule("CE106-dynamic-import", 470, "an untrusted value names the module to import"),
    Rule("CE107-interactive", 94, "`code`, `pty`, `timeit` or the like runs a string or a shell"),
    Rule("CE110-os-command", 78, "a command line is handed to the system's shell"),
    Rule("CE111-process", 78, "the process is replaced or spawned through `os`"),
    Rule("CE112-shell-true", 78, "`subprocess` is told to use a shell"),
    Rule("CE113-shell-command", 78, "a computed command is handed to a shell"),
    # data that becomes objects
    Rule("CE201-pickle", 502, "unpickling can run any code"),
    Rule("CE202-yaml", 502, "YAML is loaded without a safe loader"),
    Rule("CE203-marshal", 502, "`marshal` loads data that must be trusted"),
    Rule("CE204-xml", 611, "XML is parsed by a parser that resolves entities"),
    # injection
    Rule("CE301-sql", 89, "an SQL statement is put together from strings"),
    Rule("CE302-ldap", 90, "an LDAP query is put together from untrusted strings"),
    Rule("CE303-xpath", 643, "an XPath query is put together from untrusted strings"),
    Rule("CE304-template", 79, "templates are rendered without escaping"),
    Rule("CE305-response", 79, "an untrusted value is sent in a response unescaped"),
    Rule("CE306-redirect", 601, "an untrusted value decides where to redirect to"),
    Rule("CE307-url", 918, "an untrusted value decides which URL is fetched"),
    Rule("CE308-header", 113, "an untrusted value is written into a response header"),
    # files
    Rule("CE401-path", 22, "an untrusted value is joined into a path without a containment check"),
    Rule("CE402-tar", 22, "an archive is unpacked without a filter"),
    Rule("CE403-mktemp", 377, "a temporary file name is made before the file"),
    Rule("CE404-permissions", 732, "a file is made writable for everyone"),
    # secrets and cryptography
    Rule("CE501-secret", 798, "a secret stands in the source"),
    Rule("CE502-hash", 327, "a broken hash function is used"),
    Rule("CE503-cipher", 327, "a broken cipher or mode is used"),
    Rule("CE504-random", 330, "a secret is made with a predictable random generator"),
    Rule("CE505-key-size", 326, "a key is too short"),
    Rule("CE506-jwt", 347, "a token's signature is not verified"),
    # transport and configuration
    Rule("CE601-tls", 295, "certificates are not verified"),
    Rule("CE602-cleartext", 319, "a protocol without encryption is used"),
    Rule("CE603-debug", 489, "a debugger is open to visitors"),
    # control
    Rule("CE701-assert", 617, "an `assert`, gone under `-O`, guards against an untrusted value"),
)
"""Rule ids are stable: results and other tools refer to them."""

_BY_ID = {rule.id: rule for rule in RULES}


def rule(rule_id: str) -> Rule:
    """Return the rule of this id."""
    return _BY_ID[rule_id]
