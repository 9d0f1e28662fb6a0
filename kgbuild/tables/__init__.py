"""The database of the datasets: DuckDB."""
