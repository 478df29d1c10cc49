"""Log files opened and unpacked."""
