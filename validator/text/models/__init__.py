"""From positioned data to models, and what is wrong with it in words."""
