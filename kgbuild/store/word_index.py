"""Rank names by the words that they share with a text, by BM25 and the stems of words.

Source: S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009);
M. Porter, An algorithm for suffix stripping (1980). SQLite implements both.
"""

import functools
import sqlite3
from collections.abc import Iterable, Sequence


class WordIndex:
    """An index in memory of some names, each with a key; several names may have the same key.

    Names and texts are words of letters and digits, separated by spaces.
    """

    def __init__(self, names: Iterable[tuple[str, str]]):
        self._db = sqlite3.connect(":memory:")
        self._db.execute(
            "CREATE VIRTUAL TABLE names USING fts5(key UNINDEXED, words, tokenize = 'porter')"
        )
        self._db.executemany("INSERT INTO names VALUES (?, ?)", names)
        self.keys_with = functools.cache(self._keys_with)

    def scores(self, words: Sequence[str]) -> dict[str, float]:
        """Return the score of each key that shares one of some words: that of its best name."""
        scores: dict[str, float] = {}
        if words:
            query = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
            sql = "SELECT key, -bm25(names) FROM names WHERE names MATCH ?"
            for key, score in self._db.execute(sql, (query,)):
                scores[key] = max(score, scores.get(key, 0.0))
        return scores

    def _keys_with(self, word: str) -> frozenset[str]:
        """Return the keys with a name that has a word, in any of its forms."""
        rows = self._db.execute("SELECT key FROM names WHERE names MATCH ?", (f'"{word}"',))
        return frozenset(key for (key,) in rows)
