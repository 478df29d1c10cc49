"""Games compiled for evaluation."""
