"""Examples of a document, checked against what they expect and against a snapshot of the results."""
