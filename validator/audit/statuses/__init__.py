"""Status codes, and causes of missing evidence."""
