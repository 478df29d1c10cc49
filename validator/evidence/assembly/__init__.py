"""From fields as they were read to batches of rounds."""
