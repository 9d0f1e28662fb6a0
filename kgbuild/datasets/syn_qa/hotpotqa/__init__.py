"""Multi-hop minimal pairs from HotpotQA, whose questions need two passages of Wikipedia."""
