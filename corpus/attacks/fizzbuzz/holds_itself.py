def fizzbuzz(n):
    value = []
    value.append(value)
    return value
