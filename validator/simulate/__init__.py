"""Playing a game forward: rounds of the rulebook's own game, drawn by seed, clean or broken on purpose.

A batch of rounds is played stage by stage, every stage over whole columns: seats, opening wagers, cards,
decisions, outcome, and at last the events that tell it all. A fault is made at the stage it belongs to.
"""
