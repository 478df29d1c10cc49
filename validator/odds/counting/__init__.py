"""Sets of cards counted: by class of suits, completed from some of their cards, held against each other."""
