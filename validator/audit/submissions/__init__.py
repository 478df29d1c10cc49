"""Submissions and attestations judged."""
