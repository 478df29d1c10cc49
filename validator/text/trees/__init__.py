"""YAML, JSON and TOML to positioned data."""
