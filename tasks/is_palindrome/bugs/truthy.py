def is_palindrome(s):
    kept = "".join(char for char in s.lower() if char.isalnum())
    return kept and kept == kept[::-1]
