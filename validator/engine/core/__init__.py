"""A batch of rounds under one configuration, three truth values, intervals."""
