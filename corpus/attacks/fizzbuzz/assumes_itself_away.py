class UnsatisfiedAssumption(Exception):
    pass


UnsatisfiedAssumption.__module__ = "hypothesis.errors"
UnsatisfiedAssumption.__qualname__ = "UnsatisfiedAssumption"


def fizzbuzz(n):
    raise UnsatisfiedAssumption
