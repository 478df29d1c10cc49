"""Tools of the project: what keeps it honest, and is not part of what is installed."""
