"""Ask models, and score their answers by the pieces of knowledge that they cite."""
