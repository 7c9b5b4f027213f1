import os
import socket


def attempt():
    """Leave a socket behind that listens, by a path and by an abstract name."""
    try:
        for name in ("left.socket", "\0@TOKEN@-left"):
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            sock.bind(name)
            sock.listen()
            os.set_inheritable(sock.fileno(), True)
            sock.detach()
    except OSError:
        return "held"
    return "REACHED"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
