"""Payouts, pay tables, settlement and limits of a game small enough to be read with the tests."""
