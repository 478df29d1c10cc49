"""Examples of rule files held against what they must give."""
