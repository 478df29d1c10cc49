"""How a house plays when its game is simulated."""
