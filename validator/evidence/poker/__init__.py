"""Hands of poker as rounds of a hand log, whatever format recorded them."""
