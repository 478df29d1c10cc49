"""How a game is simulated: what the simulated house states, and what comes of a trial run."""
