"""Tests of the shipped rulebook by its own examples."""
