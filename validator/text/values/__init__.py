"""Odds and amounts of money."""
