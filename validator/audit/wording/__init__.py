"""Sentences about checks: what each requires, and the terms that it uses."""
