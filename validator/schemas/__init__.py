"""JSON Schemas and reference pages, generated from the models."""
