"""Cards of hands at the end of a round, their strength, and cards that left play."""
