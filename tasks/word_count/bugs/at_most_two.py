import string


def word_count(text):
    words = [token.strip(string.punctuation) for token in text.lower().split()]
    return {word: min(words.count(word), 2) for word in words if word}
