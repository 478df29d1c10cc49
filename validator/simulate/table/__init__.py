"""What stands at a table while a round is played, and what a house has settled before."""
