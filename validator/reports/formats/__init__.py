"""Outputs for other programs: each a module of its own, imported when it is asked for."""
