"""GRANOLA: answers at every true granularity, ordered by measure (arXiv:2401.04695)."""
