"""Hand logs as JSON Lines."""
