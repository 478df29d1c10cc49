"""Drafts of submissions: fields, changes, checks and pages."""
