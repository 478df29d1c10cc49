"""Wagers against the house: placed, decided on, settled; and meters that they feed."""
