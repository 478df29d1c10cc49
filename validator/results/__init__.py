"""Model of the results of a run, and comparison of two runs."""
