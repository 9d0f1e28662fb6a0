"""Multi-hop minimal pairs from HotpotQA: its records, what their passages tell, what is asked."""
