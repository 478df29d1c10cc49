"""Operators of conditions on submissions: each is one class, as for conditions on rounds."""
