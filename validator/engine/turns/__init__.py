"""Turns, declarations, predicates and quantities of the betting at every event."""
