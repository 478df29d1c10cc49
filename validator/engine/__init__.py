"""Columnar evaluation of batches of rounds: facts, steps, betting, pots and payouts."""
