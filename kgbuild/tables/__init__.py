"""Write and read the database of the datasets, which is a DuckDB file."""
