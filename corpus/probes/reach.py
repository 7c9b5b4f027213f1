"""Tries to reach what is outside: the network, sockets, processes and facts of the machine."""

import os
import socket


def connect(family, kind, address):
    with socket.socket(family, kind) as sock:
        sock.settimeout(0.3)
        sock.connect(address)


def probe_connect(targets):
    """Connect to addresses of the host."""
    told = {}
    for address, port in targets:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        told[f"connect to {address}"] = attempt(connect, family, socket.SOCK_STREAM, (address, port))
    return told


def probe_network(targets):
    """Connect to the host, and ask for a route to the world; a datagram socket that is connected sends nothing."""
    return probe_connect(targets) | {
        "route for IPv4": attempt(connect, socket.AF_INET, socket.SOCK_DGRAM, ("198.51.100.1", 9)),
        "route for IPv6": attempt(connect, socket.AF_INET6, socket.SOCK_DGRAM, ("2001:db8::1", 9)),
    }


def ask_name(address, port, question):
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(0.3)
        sock.connect((address, port))
        sock.send(question)
        sock.recv(512)


def probe_dns(servers, question):
    """Send a question to name servers: the host's own stand-in, and those that the sandbox knows."""
    lines = [line.split() for line in text_of("/etc/resolv.conf").splitlines()]
    known = [(words[1].partition("%")[0], 53) for words in lines if words[:1] == ["nameserver"] and len(words) > 1]
    return {f"ask {host}": attempt(ask_name, host, port, question) for host, port in [*servers, *known[:2]]}


def probe_interfaces():
    names = [line.partition(":")[0].strip() for line in text_of("/proc/net/dev").splitlines() if ":" in line]
    routes = [line.split()[0] for line in text_of("/proc/net/route").splitlines()[1:] if line.split()]
    return {"interfaces": names, "routes": routes}


def probe_abstract(name):
    return {"connect": attempt(connect, socket.AF_UNIX, socket.SOCK_STREAM, "\0" + name)}


def probe_processes():
    """Tell the processes in sight, but for this one and those that it descends from in here."""
    ours, pid = {1}, os.getpid()
    while pid > 1:
        ours.add(pid)
        words = text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()
        pid = int(words[1]) if len(words) > 1 else 0
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in ours]
    return {"others": len(others), "depth": len(ours)}


def probe_environment():
    return dict(os.environ)


def probe_host_name():
    return os.uname().nodename


def probe_namespaces():
    names = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
    return {name: link(f"/proc/self/ns/{name}") for name in names} | {"paths": text_of("/proc/self/cgroup")}


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""
