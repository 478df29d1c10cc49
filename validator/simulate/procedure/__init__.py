"""The events of a round, step by step from the procedure of the game."""
