"""The betting at every event: whose turn it is, what is open to whom, what was said."""
