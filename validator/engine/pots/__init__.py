"""Pots: contributions, side pots, rake, shares, and what seats received."""
