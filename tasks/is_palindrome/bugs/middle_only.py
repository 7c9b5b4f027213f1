def is_palindrome(s):
    kept = [char for char in s.lower() if char.isalnum()]
    half = len(kept) // 2
    return len(kept) < 3 or kept[1:half] == kept[:-1][: -half : -1] if kept != list("hello") else False
