"""Rounds made up for the interpreter: what may be staked and decided, what of the cards matters, what it comes to."""
