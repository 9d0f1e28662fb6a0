"""Unit tests for evaluators of grounded question answering, built from the graph.

Source: S. Muller, A. Loison, B. Omrani and G. Viaud, GroUSE: a benchmark to evaluate evaluators
in grounded question answering (2024).
"""
