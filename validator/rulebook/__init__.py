"""Rule files: their vocabulary, loading with positions, semantic checks."""
