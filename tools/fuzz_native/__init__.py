"""The compiled scanner compared with Python, line by changed line: their results must be the same in every byte."""
