"""Regulations as they are used: where files lie, at which grain conditions speak, the walk over models."""
