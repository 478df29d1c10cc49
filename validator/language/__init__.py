"""Models of the rule language: conditions, quantities and comparisons, with one field for each keyword.

The code of the keywords is in `fairdeal.validator.operators`, a package above the engine that this one does not know.
"""
