"""Hold, hands and cards against what is likely."""
