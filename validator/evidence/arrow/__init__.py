"""Hand logs as Arrow tables and Parquet files."""
