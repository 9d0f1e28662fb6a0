"""Multi-hop minimal pairs from HotpotQA, whose questions need two passages of Wikipedia.

The title of a passage in the question is replaced by a similar title, so that the new question
assumes something false.
"""
