"""Names of a game, patterns of requirements, short forms of pay tables, places of a submission."""
