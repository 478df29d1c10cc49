"""Counts of sets of cards: by class of suits, completed from some of their cards, and compared with each other."""
