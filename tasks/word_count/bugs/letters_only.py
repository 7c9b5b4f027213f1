import re


def word_count(text):
    counts = {}
    for word in re.findall("[a-z]+", text.lower()):
        counts[word] = counts.get(word, 0) + 1
    return counts
