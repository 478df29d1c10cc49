"""Faults of simulated rounds, one function for each kind."""
