"""Loading of regulations from rule files."""
