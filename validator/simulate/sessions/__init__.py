"""Tables from round to round: numbers, decks, chips, meters, what is done now and then."""
