"""Conditions of the rule language as models: structure, never strings to be parsed."""
