def word_count(text):
    counts = {}
    for token in text.lower().split():
        word = token.rstrip("!,.?")
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts
