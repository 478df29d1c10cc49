"""Games played forward: rounds from the rules alone, as they should be or with a fault in some."""
