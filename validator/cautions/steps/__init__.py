"""Steps of a game: what they place, settle and tell, who goes through them and in which order."""
