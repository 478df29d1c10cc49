"""Cards: dealt, put aside and drawn, and what goes wrong meanwhile."""
