"""The report as one HTML page, and the drawings in it."""
