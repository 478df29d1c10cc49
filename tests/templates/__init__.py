"""Templates: games in words of our own, from which authors begin a document."""
