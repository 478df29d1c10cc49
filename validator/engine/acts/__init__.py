"""Events that are acts of their own, and the cards that events name."""
