"""An audit in parts: engines, checkpoints, and the logs that all of them are tried on."""
