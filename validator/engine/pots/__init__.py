"""Settlement between players: what pots come to, who shares them, what each seat received."""
