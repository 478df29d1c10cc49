"""The interpreter: what a batch of rounds shows under one configuration, and what every wager is due."""
