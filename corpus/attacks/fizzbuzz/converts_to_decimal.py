import sys


def fizzbuzz(n):
    """Quadratic: the limit on digits is the solution's own to lift."""
    sys.set_int_max_str_digits(0)
    number = 7**2_000_000
    return [str(number * number)]
