"""Simulated tables from round to round: numbers, decks, chips, meters and occasional steps."""
