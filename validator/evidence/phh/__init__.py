"""Hands written as Poker Hand Histories (PHH), read as the rounds of a hand log."""
