"""What every wager is due: cases of settlement, pay tables, limits."""
