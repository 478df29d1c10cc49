"""Games between players: chips, acts of betting and showdowns."""
