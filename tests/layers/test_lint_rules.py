"""Every rule of the scanner, on code that it must flag and on code that it must not."""

from __future__ import annotations

import pytest

from codegen_eval.layers.lint import RULES, scan
from codegen_eval.verdict import FailureClass

UNTRUSTED = frozenset({"untrusted"})

FLAGGED: tuple[tuple[str, str], ...] = (
    ("CE101-eval", "def f(x):\n    return eval(x)"),
    ("CE101-eval", "e = eval\ndef f(x):\n    return e(x)"),
    ("CE101-eval", "def f(x):\n    return list(map(eval, x))"),
    ("CE101-eval", "import builtins as b\nb.eval('1')"),
    ("CE101-eval", "import builtins\ngetattr(builtins, 'ev' + 'al')('1')"),
    ("CE101-eval", "__builtins__['eval']('1')"),
    ("CE101-eval", "from builtins import eval as harmless\nharmless('1')"),
    ("CE101-eval", "{'+': eval}['+']('1')"),
    ("CE101-eval", "eval = eval\neval('1')"),
    ("CE101-eval", "[f('1') for f in (eval,)]"),
    ("CE101-eval", "if False:\n    eval = len\neval('1')"),
    ("CE101-eval", "def f(x, run=eval):\n    return run(x)"),
    ("CE101-eval", "\uff45\uff56\uff41\uff4c('1')"),  # full-width letters, the same name to Python
    ("CE101-eval", "(e := eval)('1')"),
    ("CE101-eval", "vars(__import__('builtins'))['eval']('1')"),
    ("CE101-eval", "__builtins__.__dict__.get('eval')('1')"),
    ("CE101-eval", "import builtins\nbuiltins.__getattribute__('eval')('1')"),
    ("CE104-dynamic-lookup", "import builtins, operator\noperator.attrgetter('eval')(builtins)('1')"),
    ("CE104-dynamic-lookup", "import builtins\ndef f(n):\n    return vars(builtins)[n]('1')"),
    ("CE102-exec", "exec('x = 1')"),
    ("CE103-compile", "compile('1', 'x', 'eval')"),
    ("CE104-dynamic-lookup", "import os\ndef f(name):\n    return getattr(os, name)()"),
    ("CE105-introspection", "().__class__.__base__.__subclasses__()"),
    ("CE105-introspection", "def f(g):\n    return g.__globals__"),
    ("CE106-dynamic-import", "def f(untrusted):\n    return __import__(untrusted)"),
    ("CE107-interactive", "import timeit\ndef f(e):\n    timeit.timeit('x.append(' + e + ')', number=1)"),
    ("CE107-interactive", "from timeit import Timer\ndef f(e):\n    s = f'x({e})'\n    Timer(s).timeit(1)"),
    ("CE107-interactive", "import cProfile\ndef f(e):\n    cProfile.runctx('r=' + e, {}, {})"),
    ("CE107-interactive", "import profile\ndef f(e):\n    profile.run(e)"),
    ("CE107-interactive", "import cProfile\ndef f(e):\n    cProfile.Profile().runctx(e, {}, {})"),
    ("CE107-interactive", "from trace import Trace\ndef f(e):\n    t = Trace(count=1)\n    t.runctx('r=' + e)"),
    ("CE107-interactive", "import bdb\ndef f(e):\n    return bdb.Bdb().runeval(e)"),
    ("CE107-interactive", "import pdb\ndef f(e):\n    return pdb.runeval(e)"),
    ("CE107-interactive", "import ctypes\ndef f(e):\n    ctypes.pythonapi.PyRun_SimpleString(e.encode())"),
    ("CE101-eval", "from typing import ForwardRef\ndef f(e):\n    return ForwardRef(e)._evaluate({}, {}, frozenset())"),
    (
        "CE101-eval",
        "import typing as t\ndef f(g, e):\n    g.__annotations__['x'] = e\n    return t.get_type_hints(g)",
    ),
    (
        "CE101-eval",
        (
            "import inspect\ndef f(e):\n    t = type('T', (), {'__annotations__': {'x': '(' + e + ')'}})\n"
            "    return inspect.get_annotations(t, eval_str=True)"
        ),
    ),
    (
        "CE106-dynamic-import",
        "from logging.config import dictConfig as c\ndef f(untrusted):\n    c({'filters': {'x': {'()': untrusted}}})",
    ),
    ("CE107-interactive", "import pty\npty.spawn('sh')"),
    ("CE110-os-command", "import os\nos.system('ls')"),
    ("CE110-os-command", "from os import system as s\ns('ls')"),
    ("CE110-os-command", "from os import *\npopen('ls')"),
    ("CE110-os-command", "__import__('os').system('ls')"),
    ("CE110-os-command", "import importlib\nimportlib.import_module('os').popen('ls')"),
    ("CE110-os-command", "import shutil\nshutil.os.system('ls')"),
    ("CE110-os-command", "import sys\nsys.modules['os'].system('ls')"),
    ("CE111-process", "import os\nos.execv('/bin/ls', ['ls'])"),
    ("CE111-process", "import os\nos.spawnlp(os.P_WAIT, 'ls', 'ls')"),
    ("CE112-shell-true", "import subprocess\nsubprocess.run('ls', shell=True)"),
    ("CE112-shell-true", "import subprocess as s\ns.call('ls', shell=1)"),
    ("CE112-shell-true", "import subprocess\nsubprocess.run('ls', **{'shell': True})"),
    ("CE112-shell-true", "import subprocess\no = dict(shell='yes')\nsubprocess.Popen('ls', **o)"),
    ("CE112-shell-true", "import subprocess\nsubprocess.getoutput('ls')"),
    ("CE112-shell-true", "import asyncio\nasync def f(c):\n    await asyncio.create_subprocess_shell(c)"),
    ("CE112-shell-true", "import functools, subprocess\nfunctools.partial(subprocess.run, shell=True)"),
    ("CE113-shell-command", "import subprocess\ndef f(c):\n    subprocess.run(['sh', '-c', c])"),
    ("CE201-pickle", "import pickle\ndef f(x):\n    return pickle.loads(x)"),
    ("CE201-pickle", "from dill import loads\ndef f(x):\n    return loads(x)"),
    ("CE201-pickle", "import shelve\nshelve.open('x')"),
    ("CE201-pickle", "import jsonpickle\ndef f(x):\n    return jsonpickle.decode(x)"),
    ("CE113-shell-command", "import subprocess\ndef f(c):\n    subprocess.run(['/usr/bin/bash', '-lc', c])"),
    ("CE113-shell-command", "import subprocess\ndef f(c):\n    subprocess.run(['/usr/bin/env', 'sh', '-c', c])"),
    ("CE113-shell-command", "import subprocess, sys\ndef f(c):\n    subprocess.run([sys.executable, '-c', c])"),
    ("CE113-shell-command", "import subprocess\ndef f(c):\n    subprocess.run(['bash', '-o', 'pipefail', '-c', c])"),
    ("CE113-shell-command", "import subprocess\ndef f(c):\n    subprocess.run(['python3', '-Ic', c])"),
    ("CE113-shell-command", "import subprocess\ndef f(c):\n    subprocess.run(['sh', '-c'] + [c])"),
    ("CE113-shell-command", "import subprocess\ndef f(c):\n    subprocess.run(['sh', *['-c', c]])"),
    ("CE113-shell-command", "import asyncio\nasync def f(c):\n    await asyncio.create_subprocess_exec('sh', '-c', c)"),
    (
        "CE104-dynamic-lookup",
        "import builtins\nfrom unittest import mock\ndef f(n):\n    mock.patch.object(builtins, n)",
    ),
    ("CE201-pickle", "import pickle\nd = pickle.dumps\nd = lambda x: x\ndef f(x):\n    return pickle.loads(d(x))"),
    ("CE201-pickle", "import pickle\npickle.dumps = bytes\ndef f(x):\n    return pickle.loads(pickle.dumps(x))"),
    ("CE201-pickle", "import pickle, marshal\ndef f(x):\n    return pickle.loads(marshal.dumps(x))"),
    ("CE301-sql", "import pandas as pd\ndef f(x, c):\n    pd.read_sql(sql=f\"SELECT * FROM t WHERE a='{x}'\", con=c)"),
    ("CE110-os-command", "import ctypes\ndef f(c):\n    ctypes.CDLL(None).system(c)"),
    ("CE107-interactive", "import logging.config\ndef f(untrusted):\n    logging.config.fileConfig(untrusted)"),
    ("CE301-sql", "def f(c, untrusted):\n    c.executescript(untrusted)"),
    ("CE201-pickle", "from multiprocessing.connection import Client\nwith Client('x') as c:\n    c.recv()"),
    (
        "CE201-pickle",
        "from multiprocessing.connection import Listener\nl = Listener('x')\nc = l.accept()\nprint(c.recv())",
    ),
    ("CE202-yaml", "import yaml\ndef f(x):\n    return yaml.load(x)"),
    ("CE202-yaml", "import yaml\ndef f(x):\n    return yaml.load(x, Loader=yaml.FullLoader)"),
    ("CE202-yaml", "from yaml import unsafe_load\ndef f(x):\n    return unsafe_load(x)"),
    ("CE203-marshal", "import marshal\ndef f(x):\n    return marshal.loads(x)"),
    ("CE204-xml", "import xml.etree.ElementTree as ET\ndef f(x):\n    return ET.fromstring(x)"),
    ("CE204-xml", "from lxml import etree\ndef f(x):\n    return etree.fromstring(x)"),
    ("CE301-sql", "def f(c, name):\n    c.execute(f\"SELECT * FROM users WHERE name = '{name}'\")"),
    ("CE301-sql", "def f(c, name):\n    c.execute('SELECT * FROM users WHERE name = %s' % name)"),
    ("CE301-sql", "def f(c, name):\n    q = 'DELETE FROM users WHERE name = ' + name\n    c.execute(q)"),
    ("CE301-sql", "def f(c, n):\n    q = 'SELECT a FROM b'\n    q += ' WHERE n = ' + n\n    c.execute(q)"),
    ("CE301-sql", "def f(c, n):\n    c.executemany('INSERT INTO {} VALUES (?)'.format(n), [])"),
    ("CE301-sql", "def f(c, n):\n    c.execute(' '.join(['SELECT a FROM b WHERE', n]))"),
    ("CE301-sql", "def f(c, x):\n    return c.execute('select ' + x).fetchone()"),
    ("CE301-sql", "def f(c, x):\n    return c.execute(f'Select {x}')"),
    ("CE301-sql", "def f(c, x):\n    c.executescript('attach ' + x)"),
    ("CE302-ldap", "import ldap\ndef f(c, untrusted):\n    c.search_s('dc=x', 2, f'(uid={untrusted})')"),
    ("CE303-xpath", "from lxml import etree\ndef f(t, untrusted):\n    return t.xpath('//u[@n=' + untrusted + ']')"),
    ("CE304-template", "import jinja2\njinja2.Environment(autoescape=False)"),
    ("CE305-response", "from flask import request, make_response\nmake_response('Hi ' + request.args['n'])"),
    ("CE306-redirect", "from flask import request, redirect\nredirect(request.args.get('next'))"),
    ("CE307-url", "import requests\ndef f(untrusted):\n    return requests.get('https://' + untrusted)"),
    ("CE308-header", "from flask import request, Response\nr = Response()\nr.headers['X'] = request.args['x']"),
    ("CE401-path", "import os\ndef f(untrusted):\n    return open(os.path.join('/srv', untrusted))"),
    ("CE401-path", "import os\ndef f(base, untrusted):\n    p = untrusted.strip()\n    return os.path.join(base, p)"),
    ("CE401-path", "from pathlib import Path\ndef f(untrusted):\n    return (Path('/srv') / untrusted).read_text()"),
    ("CE401-path", "from pathlib import Path\ndef f(base: Path, untrusted):\n    return base / untrusted"),
    ("CE401-path", "def f(untrusted):\n    return open(f'/srv/{untrusted}').read()"),
    ("CE401-path", "def f(base, untrusted):\n    return open(base + '/' + untrusted).read()"),
    ("CE402-tar", "import tarfile\nwith tarfile.open('x') as t:\n    t.extractall('y')"),
    ("CE403-mktemp", "import tempfile\ntempfile.mktemp()"),
    ("CE404-permissions", "import os\nos.chmod('x', 0o777)"),
    ("CE501-secret", "password = 'hunter2'"),
    ("CE501-secret", "API_KEY = 'sk-12345abcdef'"),
    ("CE501-secret", "def f(c):\n    c.connect(password='hunter2')"),
    ("CE501-secret", "config = {'db_password': 'hunter2'}"),
    ("CE501-secret", "def f(password):\n    return password == 'admin'"),
    ("CE502-hash", "import hashlib\nhashlib.md5(b'x')"),
    ("CE502-hash", "from hashlib import new\nnew('SHA1')"),
    ("CE502-hash", "import hashlib\nmake = hashlib.sha1"),
    ("CE503-cipher", "from Crypto.Cipher import DES\ndef f(k):\n    return DES.new(k)"),
    ("CE504-random", "import random\ndef make_token():\n    return random.randint(0, 9)"),
    ("CE505-key-size", "from Crypto.PublicKey import RSA\nRSA.generate(1024)"),
    ("CE506-jwt", "import jwt\ndef f(t, k):\n    return jwt.decode(t, k, options={'verify_signature': False})"),
    ("CE601-tls", "import requests\nrequests.get('https://x', verify=False)"),
    ("CE601-tls", "import ssl\nc = ssl._create_unverified_context()"),
    ("CE601-tls", "import ssl\nc = ssl.create_default_context()\nc.check_hostname = False"),
    ("CE602-cleartext", "import ftplib\nftplib.FTP('x')"),
    ("CE602-cleartext", "import telnetlib\ntelnetlib.Telnet('x')"),
    ("CE603-debug", "from flask import Flask\napp = Flask('x')\napp.run(debug=True)"),
    ("CE701-assert", "def f(untrusted):\n    assert untrusted.isdigit()\n    return int(untrusted)"),
)

CLEAN: tuple[tuple[str, str], ...] = (
    ("CE101-eval", "import ast\ndef f(x):\n    return ast.literal_eval(x)"),
    ("CE101-eval", "def eval(node):\n    return node\neval(1)"),
    ("CE101-eval", "def f(tree):\n    def eval(node):\n        return node\n    return eval(tree)"),
    ("CE101-eval", "def f(model):\n    return model.eval()"),
    ("CE102-exec", "class Runner:\n    def exec(self):\n        return self.exec()"),
    ("CE103-compile", "import re\nre.compile('a')"),
    ("CE103-compile", "from re import compile\ncompile('a')"),
    ("CE103-compile", "import re\ncompile = re.compile\ncompile('a')"),
    ("CE103-compile", "import ast\ndef f(x):\n    return compile(x, 'x', 'eval', ast.PyCF_ONLY_AST)"),
    ("CE104-dynamic-lookup", "def f(thing, name):\n    return getattr(thing, name, None)"),
    ("CE105-introspection", "class A:\n    pass\ndef f():\n    return A.__subclasses__()"),
    ("CE106-dynamic-import", "import importlib\nimportlib.import_module('json')"),
    ("CE103-compile", "import ast\ndef f(x):\n    compile(x, '', 'exec', ast.PyCF_ONLY_AST | ast.PyCF_TYPE_COMMENTS)"),
    ("CE104-dynamic-lookup", "import builtins\nfrom unittest.mock import patch\npatch.object(builtins, 'print')"),
    ("CE113-shell-command", "import subprocess, sys\ndef f(m):\n    subprocess.run([sys.executable, '-m', m])"),
    ("CE201-pickle", "import pickle\ndef f(x):\n    return pickle.loads(pickle.dumps(x))"),
    ("CE113-shell-command", "import subprocess\ndef f(p):\n    subprocess.run(['git', 'bash', '-c', p])"),
    ("CE101-eval", "import inspect\ndef f(g, n):\n    g.__annotations__ = {'y': n}\n    inspect.signature(g)"),
    ("CE301-sql", "def f(r, n):\n    r.execute(f'with {n} friends')\n    r.raw('update your settings ' + n)"),
    ("CE101-eval", "import typing\ndef f(g, h):\n    g.__annotations__ = h\n    return typing.get_type_hints(g)"),
    ("CE107-interactive", "import timeit, cProfile\ncProfile.run('f(1)')\ntimeit.timeit('f' + '(1)')"),
    ("CE107-interactive", "import timeit\ndef f(g):\n    return timeit.timeit(g)"),
    ("CE107-interactive", "from trace import Trace\ndef f(g):\n    Trace(count=1).runfunc(g)\n    Trace().run('g()')"),
    ("CE101-eval", "import typing\ndef f(g):\n    g.__annotations__ = {'x': int}\n    return typing.get_type_hints(g)"),
    ("CE101-eval", "import typing\nR = typing.ForwardRef('int')\ndef f(g):\n    return typing.get_type_hints(g)"),
    ("CE106-dynamic-import", "import logging.config\nlogging.config.dictConfig({'filters': {'x': {'()': 'a.B'}}})"),
    ("CE201-pickle", "from multiprocessing import Pipe\na, b = Pipe()\na.send(1)\nb.recv()"),
    ("CE110-os-command", "import os\nos.getcwd()"),
    ("CE111-process", "import os\nos.getpid()"),
    ("CE112-shell-true", "import subprocess\nsubprocess.run(['ls', '-l'], shell=False)"),
    ("CE113-shell-command", "import subprocess\ndef f(d):\n    return subprocess.run(['ls', '-l', d])"),
    ("CE201-pickle", "import pickle, json\ndef f(x):\n    return pickle.dumps(json.loads(x))"),
    ("CE202-yaml", "import yaml\ndef f(x):\n    return yaml.load(x, yaml.SafeLoader), yaml.safe_load(x)"),
    ("CE203-marshal", "import marshal\nmarshal.dumps(1)"),
    ("CE204-xml", "import defusedxml.ElementTree as ET\ndef f(x):\n    return ET.fromstring(x)"),
    (
        "CE204-xml",
        "from lxml import etree\np = etree.XMLParser(resolve_entities=False)\netree.fromstring(open('x'), p)",
    ),
    ("CE301-sql", "def f(c, name):\n    c.execute('SELECT * FROM users WHERE name = %s', (name,))"),
    ("CE301-sql", "T = 'users'\ndef f(c, n):\n    c.execute(f'SELECT * FROM {T} WHERE n = ?', (n,))"),
    (
        "CE301-sql",
        "def f(c, ids):\n    m = ','.join('?' for _ in ids)\n    c.execute(f'SELECT a FROM b WHERE i IN ({m})', ids)",
    ),
    ("CE301-sql", "def f(pool, name):\n    pool.execute(f'task {name} from the queue')"),
    ("CE301-sql", "def f(pool, job):\n    pool.execute('selected ' + job)\n    pool.execute('do: create ' + job)"),
    ("CE302-ldap", "import re\ndef f(untrusted):\n    return re.search(f'a{untrusted}', 'b')"),
    ("CE303-xpath", "def f(untrusted):\n    return untrusted.find('a' + untrusted)"),
    ("CE304-template", "import jinja2\njinja2.Environment(autoescape=True)"),
    ("CE305-response", "from flask import request, make_response, escape\nmake_response(escape(request.args['n']))"),
    ("CE306-redirect", "from flask import redirect, url_for\nredirect(url_for('index'))"),
    ("CE307-url", "import requests\nrequests.get('https://example.org')"),
    ("CE308-header", "from flask import Response\nr = Response()\nr.headers['X'] = 'y'"),
    ("CE401-path", "import os\ndef f(untrusted):\n    return sorted(os.listdir(untrusted))"),
    (
        "CE401-path",
        (
            "import os\ndef f(untrusted):\n"
            "    return [n for n in os.listdir(untrusted) if os.path.isfile(os.path.join(untrusted, n))]"
        ),
    ),
    (
        "CE401-path",
        "from pathlib import Path\ndef f(untrusted):\n    return [p.name for p in Path(untrusted).iterdir()]",
    ),
    ("CE401-path", "def f(untrusted):\n    return untrusted / 2"),
    (
        "CE401-path",
        (
            "import os\ndef f(base, untrusted):\n    p = os.path.realpath(os.path.join(base, untrusted))\n"
            "    if os.path.commonpath([p, base]) != base:\n        raise ValueError\n    return open(p)"
        ),
    ),
    ("CE401-path", "from pathlib import Path\ndef f(untrusted):\n    return Path('/srv') / Path(untrusted).name"),
    ("CE402-tar", "import tarfile\nwith tarfile.open('x') as t:\n    t.extractall('y', filter='data')"),
    ("CE403-mktemp", "import tempfile\ntempfile.mkstemp()"),
    ("CE404-permissions", "import os\nos.chmod('x', 0o600)"),
    ("CE501-secret", "import os\npassword = os.environ['PASSWORD']\ntoken = ''"),
    ("CE501-secret", "def f(token):\n    return token == '(' or token == 'number'"),
    ("CE501-secret", "password = 'changeme'\nAPI_KEY = '<your key>'\nsecret = None"),
    ("CE502-hash", "import hashlib\nhashlib.sha256(b'x')\nhashlib.md5(b'x', usedforsecurity=False)"),
    ("CE503-cipher", "from Crypto.Cipher import AES\ndef f(k):\n    return AES.new(k, AES.MODE_GCM)"),
    (
        "CE504-random",
        "import random, secrets\ndef roll():\n    return random.randint(1, 6)\ntoken = secrets.token_hex()",
    ),
    ("CE505-key-size", "from Crypto.PublicKey import RSA\nRSA.generate(3072)"),
    ("CE506-jwt", "import jwt\ndef f(t, k):\n    return jwt.decode(t, k, algorithms=['HS256'])"),
    ("CE601-tls", "import requests\nrequests.get('https://x', verify=True)"),
    ("CE602-cleartext", "import ftplib\nftplib.FTP_TLS('x')"),
    ("CE603-debug", "from flask import Flask\napp = Flask('x')\napp.run(debug=False)"),
    ("CE701-assert", "def f(untrusted):\n    n = len([1])\n    assert n == 1\n    return n"),
)


def _last_line(source: str) -> int:
    return len(source.splitlines())


@pytest.mark.parametrize(("rule", "source"), FLAGGED)
def test_an_insecure_pattern_is_found_with_its_rule_and_cwe(rule: str, source: str) -> None:
    """A pattern is found under its rule and CWE, on a line of the source, through whatever alias it is reached."""
    findings = scan(source, UNTRUSTED)

    assert rule in {f.check for f in findings}
    for finding in findings:
        assert finding.failure_class is FailureClass.INSECURE_PATTERN
        assert finding.cwe == next(r.cwe for r in RULES if r.id == finding.check)
        assert finding.line is not None
        assert 1 <= finding.line <= _last_line(source)


@pytest.mark.parametrize(("rule", "source"), CLEAN)
def test_the_safe_way_is_not_flagged(rule: str, source: str) -> None:
    """Code that does the same thing safely has no finding at all."""
    assert scan(source, UNTRUSTED) == (), rule


def test_every_rule_has_an_example_of_each_kind() -> None:
    """No rule stands in the table without code that it flags and code that it leaves alone."""
    ids = {rule.id for rule in RULES}

    assert {rule for rule, _ in FLAGGED} == ids
    assert {rule for rule, _ in CLEAN} == ids
    assert len(ids) == len(RULES)


def test_findings_come_by_line_and_once() -> None:
    """Findings are sorted by line, and a rule matches a line once."""
    findings = scan("import os\nos.system('b')\nx = eval('1') + eval('2')\nos.system('c')", frozenset())

    assert [(f.line, f.check) for f in findings] == [
        (2, "CE110-os-command"),
        (3, "CE101-eval"),
        (4, "CE110-os-command"),
    ]


def test_only_untrusted_parameters_make_a_path_unsafe() -> None:
    """Joining a parameter that the task trusts is no finding."""
    source = "import os\ndef f(base, name):\n    return os.path.join(base, name)"

    assert scan(source, frozenset()) == ()
    assert [f.check for f in scan(source, frozenset({"name"}))] == ["CE401-path"]


# Read from s2e-lab/SALLM (Apache-2.0), prompts left out.
REAL = (
    ("import requests\ndef getData(url):\n    return requests.get(url, verify=False).text", 295),
    (
        "from flask import request\ndef f():\n    filename = request.args.get('p')\n    return open(filename).read()",
        22,
    ),
    ("import hashlib\ndef store(u, p):\n    hasher = hashlib.new('md5')\n    hasher.update(p)", 327),
)


@pytest.mark.parametrize(("source", "cwe"), REAL)
def test_published_insecure_samples_are_found(source: str, cwe: int) -> None:
    """Insecure samples of a published set are found under their CWE."""
    assert cwe in {f.cwe for f in scan(source, frozenset())}
