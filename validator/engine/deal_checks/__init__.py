"""How many cards were dealt, to whom in which order, and which twice."""
