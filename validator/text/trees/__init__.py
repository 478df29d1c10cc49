"""Readers of YAML, JSON and TOML as positioned data."""
