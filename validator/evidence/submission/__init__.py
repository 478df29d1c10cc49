"""Submissions and waivers: their models, files and values."""
