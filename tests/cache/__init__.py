"""Tests of the cache between runs: entries are read only if they can be trusted, and make no difference."""
