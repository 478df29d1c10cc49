"""What a player does not see, and what is best to do: counted through, or simulated where it is too large."""
