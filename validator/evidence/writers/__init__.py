"""Batches written as JSON Lines, Arrow tables and Parquet files."""
