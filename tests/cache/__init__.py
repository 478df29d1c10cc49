"""What is kept between runs: read back only where it can be trusted, and never making a difference."""
