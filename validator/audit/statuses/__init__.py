"""Statuses as small numbers, and why evidence leaves some open."""
