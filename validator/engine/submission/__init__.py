"""Evaluation of conditions on a submission."""
