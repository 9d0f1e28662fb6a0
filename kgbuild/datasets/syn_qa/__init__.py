"""Syn-(QA)²: minimal pairs of questions, one with a false assumption (arXiv:2403.12145)."""
