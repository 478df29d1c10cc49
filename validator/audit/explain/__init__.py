"""One round told step by step."""
