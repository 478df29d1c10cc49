"""HTML report and its drawings."""
