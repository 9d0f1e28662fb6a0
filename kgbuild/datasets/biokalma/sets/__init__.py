"""Find pairs of subjects and their minimum knowledge sets, and build questions from them."""
