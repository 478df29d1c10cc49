"""What conditions and quantities of the rule language mean over columns."""
