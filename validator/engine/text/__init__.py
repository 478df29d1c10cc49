"""Text about the evidence."""
