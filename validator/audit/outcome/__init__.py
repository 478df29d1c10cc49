"""Results of a run: totals, findings, sums, and the subject."""
