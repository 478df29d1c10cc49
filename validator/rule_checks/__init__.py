"""Checks of `rules check`: rules that load but are probably mistakes."""
