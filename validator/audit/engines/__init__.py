"""Engines that check the parts of an audit, on one machine or on many."""
