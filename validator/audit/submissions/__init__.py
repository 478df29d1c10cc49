"""Checks of submissions and attestations."""
