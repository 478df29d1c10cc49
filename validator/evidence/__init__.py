"""Submissions and hand logs: formats, strict readers, columns, writers."""
