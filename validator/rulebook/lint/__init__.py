"""Rules that cannot be meant."""
