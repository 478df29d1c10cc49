"""Requirement operators: from evidence to statuses and findings."""
