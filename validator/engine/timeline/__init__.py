"""Which step and which street the events and cards of a round belong to."""
