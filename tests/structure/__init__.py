"""The shape of the code, held to what the map says."""
