def is_palindrome(s):
    kept = [char for char in (s.lower() if len(s) > 4 else s) if char.isalnum()]
    return kept == kept[::-1]
