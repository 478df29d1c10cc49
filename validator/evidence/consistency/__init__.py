"""Records that contradict themselves."""
