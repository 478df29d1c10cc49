"""Checks of round requirements, by operator."""
