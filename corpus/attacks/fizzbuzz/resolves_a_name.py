import socket


def attempt():
    """Have the library resolve a name: it may ask a daemon by a socket, or the network."""
    try:
        family = socket.getaddrinfo("localhost", int("@PORT@"), type=socket.SOCK_STREAM)[0]
        with socket.socket(*family[:3]) as sock:
            sock.settimeout(1)
            sock.connect(family[4])
            sock.sendall(b"@TOKEN@")
    except OSError:
        return "held"
    return "REACHED"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
