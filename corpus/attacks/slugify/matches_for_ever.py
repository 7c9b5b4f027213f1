import re


def slugify(title):
    return "no" if re.match(r"(\w+\s?)+$", "a" * 40 + "!") else "yes"
