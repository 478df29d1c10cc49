"""Betting: recorded actions, their replay, and the state of the betting at every event."""
