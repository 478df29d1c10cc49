"""The engines of an audit: who judges its parts, on one machine or on many."""
