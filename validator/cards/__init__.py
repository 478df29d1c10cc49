"""Decks, hand rankings as data, and the evaluation of hands over whole columns."""
