"""What the house won against what it should win, and how hands and cards came: statistics of logs as they are read."""
