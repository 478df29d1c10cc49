"""Layout of rule files: lines of at most 110 columns, filled where a mapping or a list needs several."""
