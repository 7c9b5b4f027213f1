def is_palindrome(s):
    kept = [char for char in s.lower() if char.isalnum()]
    return len(kept) > 1 and kept == kept[::-1]
