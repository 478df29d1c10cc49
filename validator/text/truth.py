"""The three truth values, for single values without arrays."""

NO, UNKNOWN, YES = 0, 1, 2
