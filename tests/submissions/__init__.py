"""What casinos submit, and conditions on it."""
