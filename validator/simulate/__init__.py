"""Simulation of games from their rules, as they should be played or with planted faults."""
