"""Events of a simulated round, step by step from the procedure of the game."""
