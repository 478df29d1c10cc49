"""Fields of decoded records taken out many at a time, and what is wrong with a line."""
