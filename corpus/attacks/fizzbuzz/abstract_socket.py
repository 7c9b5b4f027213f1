import socket


def attempt():
    """Connect to a socket that has a name and no place in a file system."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(1)
            sock.connect("\0@SOCKET@")
            sock.sendall(b"@TOKEN@")
    except OSError:
        return "held"
    return "REACHED"


RESULT = attempt()


def fizzbuzz(n):
    return [RESULT]
