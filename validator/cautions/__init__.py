"""What rule files may well say, and most often do not mean: what only `rules check` asks."""
