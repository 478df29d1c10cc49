"""The three truth values, for those who ask of one thing and need no arrays."""

NO, UNKNOWN, YES = 0, 1, 2
