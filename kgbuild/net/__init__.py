"""HTTP: one polite client, and downloads that resume."""
