"""Facts of a batch that several operators ask for."""
