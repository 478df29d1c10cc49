"""Open Hand Histories and text histories of poker sites as rounds of a hand log."""
