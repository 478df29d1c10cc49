"""Audit of evidence against rules: from evidence to statuses and findings."""
