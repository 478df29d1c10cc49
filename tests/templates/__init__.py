"""Tests of the templates of table games: their texts, and referees written from the texts alone."""
