"""Tests of requirements that span the rounds of a table."""
