"""Games of poker that no shipped document rules on, each encoded in a folder of its own."""
