"""What commands share: options, inputs, exit codes, streams."""
