"""Checks of requirements on the sessions of tables."""
