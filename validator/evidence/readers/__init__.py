"""Logs of any format opened, from files or from Python data."""
