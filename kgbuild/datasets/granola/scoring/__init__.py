"""Score replies to GRANOLA: ``matcher`` judges them, ``metrics`` counts, ``scorer`` joins both."""
