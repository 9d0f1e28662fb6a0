"""The questions about the statements of a store, and their rows."""
