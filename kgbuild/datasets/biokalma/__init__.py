"""BioKaLMA: questions about two subjects, each with the minimum knowledge set that answers it.

Source, the BioKaLMA paper: X. Li, Y. Cao, L. Pan, Y. Ma and A. Sun, Towards verifiable generation:
a benchmark for knowledge-aware language model attribution, 2024.
"""
