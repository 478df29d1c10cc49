"""What spans the rounds of a table."""
