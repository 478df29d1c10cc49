"""A run from files to results: logs audited, submissions checked, results verified."""
