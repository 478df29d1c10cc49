"""Statistics of hand logs: the win of the house, and the frequencies of hands and cards, compared with theory."""
