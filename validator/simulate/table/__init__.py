"""Table of a simulated game: the house, the rounds, and views for the interpreter."""
