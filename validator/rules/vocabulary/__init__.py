"""The names by which submissions and logs speak of a game."""
