"""Models of rule files, and regulations with the rules in force on a day."""
