"""The mutation test of the rulebook, and of the tool that runs it."""
