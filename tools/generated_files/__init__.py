"""Files of the repository that are written from the models: JSON Schemas, and parts of the documentation."""
