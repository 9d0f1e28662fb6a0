"""Words that tell what an English text is about, from words.toml."""

import tomllib
from importlib import resources

_WORDS = tomllib.loads(
    (resources.files("kgbuild.datasets.syn_qa.hotpotqa") / "words.toml").read_text(encoding="utf-8")
)
ARTICLES = ("the", "a", "an")
STOP_WORDS = frozenset(_WORDS["stop"].split())
"""Words that carry no meaning of their own."""
PRESENT = frozenset(_WORDS["present"].split())
"""Words of questions about the living."""
DEATH = frozenset(_WORDS["death"].split())
"""Words of questions about the dead."""
SPORTS = frozenset(_WORDS["sports"].split())
TRADES = {trade: frozenset(nouns.split()) for trade, nouns in _WORDS["trades"].items()}
"""The nouns that tell the trade of a person."""
KINDS = dict.fromkeys(frozenset().union(*TRADES.values()), "person") | {
    noun: kind for kind, nouns in _WORDS["kinds"].items() for noun in nouns.split()
}
"""The kind of thing that a noun stands for."""
