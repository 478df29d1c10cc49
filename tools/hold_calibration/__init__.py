"""Honest months of every house game, to see whether statistics accuse anybody."""
