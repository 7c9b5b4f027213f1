import string


def word_count(text):
    counts = {}
    for token in text.lower().split():
        word = token.strip(string.punctuation)
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts or None
