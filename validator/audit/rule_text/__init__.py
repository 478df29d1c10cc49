"""Text of requirements, in sentences."""
