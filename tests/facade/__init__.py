"""Program interfaces that tests use, by purpose, so that a module that moves changes one line of one file here.

Tests of several folders import what they share from these modules. `test_x.py` may import the module `x` that it tests,
and whatever only its own folder needs. Nothing is wrapped: an imported name is the program's own. Helpers of several
folders follow the imports.
"""
