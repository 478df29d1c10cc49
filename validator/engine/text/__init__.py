"""Conditions and evidence in words for people."""
