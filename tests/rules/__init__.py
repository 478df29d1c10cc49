"""The rulebook as shipped: what its own examples prove."""
