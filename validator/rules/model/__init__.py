"""The rule language: pydantic models of every rule file, the one definition of its operators."""
