"""Facts about seats and stakes that the log states, or that follow from its events."""
