"""Submissions of casinos, and conditions on them."""
