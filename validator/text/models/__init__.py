"""Models of files: validation of positioned data, and its problems in words."""
