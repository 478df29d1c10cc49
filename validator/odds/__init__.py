"""Odds of the wagers of a game: probabilities, payouts, house advantage and best strategy, from its rules alone."""
