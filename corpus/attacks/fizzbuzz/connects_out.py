import socket


def attempt():
    """Tell the listener that we were here."""
    for host in "@HOSTS@".split():
        try:
            with socket.create_connection((host, int("@PORT@")), timeout=1) as sock:
                sock.sendall(b"@TOKEN@")
                return "REACHED"
        except OSError:
            pass
    return "held"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
