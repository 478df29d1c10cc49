"""Run from files to results: audit of logs, check of submissions, verification of results."""
