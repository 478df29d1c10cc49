"""JSON Schemas and reference pages, generated from the models: what `schemas/` and `docs/` are written from."""
