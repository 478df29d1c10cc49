"""Command line of fairdeal."""
