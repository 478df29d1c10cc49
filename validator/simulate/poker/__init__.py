"""Players against each other: chips, acts of betting, showdowns."""
