"""Hand histories that are imported: Open Hand History and text of poker sites."""
