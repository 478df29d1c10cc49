"""Explanation of one round, step by step."""
