"""Rule files: typed models of the rule language, loading with positions, what is in force on a day."""
