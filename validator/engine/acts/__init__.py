"""Which events are acts of their own, and which cards they tell of."""
