import string


def word_count(text):
    counts = {}
    for token in text.lower().split(" "):
        word = token.strip(string.punctuation)
        counts[word] = counts.get(word, 0) + 1
    return counts
