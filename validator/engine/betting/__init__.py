"""Betting rounds over columns: who is to act, what is to be met, what everybody has put in, for all rounds at once."""
