import string
from collections import Counter


def word_count(text):
    words = Counter(filter(None, (token.strip(string.punctuation) for token in text.lower().split())))
    return words if len(words) < 2 else dict(words)
