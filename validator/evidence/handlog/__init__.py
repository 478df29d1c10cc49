"""The record of a round: its fields and the kinds of event."""
