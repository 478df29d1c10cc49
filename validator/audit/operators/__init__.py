"""Round requirements and the operators that judge them."""
