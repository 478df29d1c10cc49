"""What hands hold: cards kept, cards dead, cards that lie open."""
