"""Short texts that recur in a log, each decoded once."""
