"""English words that show what a text is about, from words.toml."""

from kgbuild.data_files import read_toml

_WORDS = read_toml("datasets/syn_qa/hotpotqa/words.toml")
STOP_WORDS = frozenset(_WORDS["stop"].split())
"""Words that say nothing about the topic of a text."""
PREPOSITIONS = frozenset(_WORDS["prepositions"].split())
"""Words that stand between a word and the name to which it leads."""
WORKS = frozenset(_WORDS["works"].split())
"""Kinds of works."""
KINDS = {noun: kind for kind, nouns in _WORDS["kinds"].items() for noun in nouns.split()}
"""The kind of thing that each noun stands for: of novel, book."""
