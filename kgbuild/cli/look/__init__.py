"""Commands that look into a store or a database."""
