"""English words that show what a text is about, from words.toml."""

from kgbuild.datasets.base import read_toml

_WORDS = read_toml("syn_qa", "hotpotqa/words")
STOP_WORDS = frozenset(_WORDS["stop"].split())
"""Words that say nothing about the topic of a text."""
TRADES = {trade: frozenset(nouns.split()) for trade, nouns in _WORDS["trades"].items()}
"""For each trade the nouns for its people and for what they do: for screen, actor and film."""
KINDS = dict.fromkeys(frozenset().union(*TRADES.values()), "person") | {
    noun: kind for kind, nouns in _WORDS["kinds"].items() for noun in nouns.split()
}
"""The kind of thing that each noun stands for: of novel, book."""
