"""Text in, positioned data out: bounded reading, YAML and JSON trees, diagnostics, exact odds and money.

The floor under every room that reads what a person wrote. It imports nothing of fairdeal, and each module
imports only what it needs, so that checking one small file starts fast.
"""
