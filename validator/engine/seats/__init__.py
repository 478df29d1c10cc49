"""Seats of each round."""
