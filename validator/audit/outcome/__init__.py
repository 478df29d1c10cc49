"""What a run comes to: totals, findings, sums, whose evidence it was."""
