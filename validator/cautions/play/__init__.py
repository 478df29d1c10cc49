"""A game as it is played: what the simulated house states, what comes of a trial run, and of every deal."""
