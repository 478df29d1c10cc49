"""Outputs for other programs, each in a module that is imported when the output is requested."""
