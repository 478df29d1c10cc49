"""Tables of rounds on the desk: columns that a user points at, and a preview of what they give."""
