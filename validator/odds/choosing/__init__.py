"""Best decisions of a player, given the cards that the player does not see: counted, or simulated if there are too
many deals."""
