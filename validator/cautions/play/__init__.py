"""Warnings from playing a game: the simulated house, a trial run, and every deal."""
