"""Semantic checks of rule files whose names are all defined."""
