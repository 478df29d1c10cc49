"""Statements that are true or false, and whether there is anything of which they are true."""
