"""BioKaLMA: questions about two subjects, each with the minimum knowledge set that answers it.

Source: X. Li et al., Towards Verifiable Generation: A Benchmark for Knowledge-aware Language Model
Attribution, 2023.
"""
