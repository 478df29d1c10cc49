"""The one result model, and two results held against each other."""
