"""Payouts: pay tables in use, amounts due to stakes, and limits on them."""
