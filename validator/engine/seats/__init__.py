"""Seats of a table in the order of play, and sets of them."""
