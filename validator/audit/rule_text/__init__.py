"""A requirement in plain words: what it asks, of what, and what the words in it mean."""
