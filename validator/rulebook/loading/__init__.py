"""From rule files to regulations."""
