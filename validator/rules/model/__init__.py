"""Pydantic models of rule files."""
