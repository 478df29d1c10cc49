"""Models of the rule language: conditions and quantities, and the interface of their operators.

The operators are objects of `fairdeal.validator.operators`. This package does not import them: a condition finds
its operator under `meaning` once that package has been imported, as `fairdeal.validator.rulebook` does.
"""
