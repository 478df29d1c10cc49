"""What spans the rounds of a table: rows put in the order of play, and small machines that run over them."""
