"""Ask models about pairs, read their verdicts, and score them."""
