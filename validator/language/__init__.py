"""The models of the rule language: conditions and quantities, and what an operator may tell of one.

The operators themselves are objects of `validator.operators`, and nothing here knows them: a condition is asked for its
`meaning`, which is there once that package has been imported, as `validator.rulebook` does.
"""
