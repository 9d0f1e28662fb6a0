"""GRANOLA: questions with answers at every granularity, from the exact one to coarser ones.

Source: GRANOLA QA (arXiv:2401.04695).
"""
