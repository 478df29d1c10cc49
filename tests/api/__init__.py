"""fairdeal from Python."""
