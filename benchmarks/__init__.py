"""Benchmarks: ratios of both sides measured in one run on one machine."""
