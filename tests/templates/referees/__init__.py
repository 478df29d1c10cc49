"""Referees of table games: lawful rounds, their settlement and violations, written from texts alone.

Each module follows `rules_data/templates/GAME/text.md` and docs/formats.md. No module reads a rule file.
Names of wagers, decisions and announcements are the words of the text, in lower case, with hyphens.
"""
