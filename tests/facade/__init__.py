"""What tests ask of the house, by purpose, so that a module that moves costs one line of one file here.

A test takes what several folders of tests ask for from these modules; `test_x.py` may import the module `x` that it
tests, and whatever else only its own folder asks for. Nothing is wrapped: a name is the house's own, and what stands
below the imports is what tests of several folders do with it.
"""
