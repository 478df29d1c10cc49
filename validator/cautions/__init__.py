"""Warnings of `rules check`: statements in rule files that load but are probably not meant."""
