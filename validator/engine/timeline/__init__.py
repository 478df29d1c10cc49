"""Steps of a game in the log: the events of each step, stages of the deal, and the order of events."""
