"""Drawings of subgraphs and of evidence."""
