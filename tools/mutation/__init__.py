"""The mutation test of the rulebook: every number, row and condition is changed in turn, and an example must notice."""
