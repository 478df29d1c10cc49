"""Models of how a game is played in a simulation."""
