"""Payouts, pay tables, settlement and limits, by a game small enough to be read beside the tests."""
