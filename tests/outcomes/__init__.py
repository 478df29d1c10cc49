"""Results that are no cards, and selections of stakes: logs, settlement, odds, simulation."""
