"""Odds, amounts of money."""
