"""Text in, positioned data out: bounded reading, YAML, JSON and TOML trees, diagnostics, exact odds and money.

The lowest layer: it imports nothing of fairdeal. Each module imports only what it needs, so that checking a small file
starts fast.
"""
