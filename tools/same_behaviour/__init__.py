"""Comparison of two checkouts of fairdeal: both run on everything that is shipped, and every byte must be the same.

Only the program of a checkout (`.venv/bin/fairdeal`) and the paths of its shipped files are used, so that checkouts
with other modules can be compared.
"""
