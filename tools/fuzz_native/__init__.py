"""The compiled scanner held against Python, line by changed line: what either finds must be the same in every byte."""
