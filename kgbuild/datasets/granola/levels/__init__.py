"""The answers to a question at every level, from what the store states of them."""
