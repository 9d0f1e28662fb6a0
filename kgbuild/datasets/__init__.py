"""The datasets: one folder each."""
