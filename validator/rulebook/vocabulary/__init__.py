"""The names by which submissions and logs speak of a game; what instances of patterns and pay matrices stand for."""
