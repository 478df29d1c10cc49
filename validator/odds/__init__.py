"""What each wager of a game is worth: probabilities, pays, house advantage, strategy, from its rules alone."""
