"""The form on which a casino states how it runs a game: what may be stated where, by which clauses; and its mending."""
