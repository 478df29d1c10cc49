"""Editor of one round: its form, and what is due in it."""
