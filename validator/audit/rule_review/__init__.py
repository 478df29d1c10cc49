"""Review of rules: their text in sentences, and the proof of their examples."""
