"""A game made ready: ladders of hands, printed tables, automata of steps."""
