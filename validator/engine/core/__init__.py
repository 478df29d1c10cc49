"""Contexts in which conditions are evaluated, and three-valued logic."""
