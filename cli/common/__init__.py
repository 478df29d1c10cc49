"""Options, inputs, exit codes and streams that commands share."""
