"""Warnings about the steps of a game: wagers and payments, events, order of play."""
