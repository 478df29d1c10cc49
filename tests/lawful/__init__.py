"""Generators of lawful rounds and of violations, written from the regulation texts and docs/formats.md alone.

No module here reads the rulebook: a generator settles its rounds by the text, and the product must find nothing.
Each game has a module with `write(seed, rounds)`, which returns records and submissions. A second module of the game
lists its `VIOLATIONS`.
"""
