"""Sessions of tables: rows of rounds in the order of play, and the tracks of tables, decks and seats."""
