"""Wagers against the house: placing, decisions, settlement, and meters."""
