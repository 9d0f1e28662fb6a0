"""How answers of models are scored: pure functions over values."""
