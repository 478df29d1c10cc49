"""Batches of rounds as flat arrays tied by offsets."""
