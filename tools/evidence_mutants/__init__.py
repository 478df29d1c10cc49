"""Mutants of the evidence: complying rounds with one event changed; each must fail, be set aside, or be free."""
