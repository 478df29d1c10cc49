"""Regulations as the program uses them: locations of rule files, walks over models, remedies."""
