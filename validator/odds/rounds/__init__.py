"""Sample rounds for the interpreter: stakes, decisions and cards of a player, and the settlement of each deal."""
