"""Checks of the deal: order, card counts, burns, misdeals, and cards in play."""
