"""Join the parts of questions: clauses, question phrases, and the ends of clauses."""

from collections.abc import Sequence

from kgbuild.datasets.biokalma.clauses import join

_WHICH = "which "
_ADVERBS = ("when", "where")
"""Question phrases that come first: "when, where, and how did Ann die"."""


def join_long(texts: Sequence[str]) -> str:
    """Join texts that have commas or "and" in them.

    >>> join_long(["A's a and b", "B's c"])
    "A's a and b, and B's c"
    """
    return ", and ".join(texts) if len(texts) < 3 else join(texts)


def join_phrases(phrases: Sequence[str]) -> str:
    """Join question phrases: the time and the place first, and "which" once.

    >>> join_phrases(["where", "when"]), join_phrases(["of what", "where"])
    ('when and where', 'where and of what')
    >>> join_phrases(["in which field", "in which genre"])
    'in which field and genre'
    """
    beginnings = {phrase.partition(_WHICH)[0] for phrase in phrases if _WHICH in phrase}
    if len(beginnings) == 1 and all(_WHICH in phrase for phrase in phrases):
        first, *others = phrases
        return join([first, *(phrase.partition(_WHICH)[2] for phrase in others)])
    adverbs = [adverb for adverb in _ADVERBS if adverb in phrases]
    return join([*adverbs, *(phrase for phrase in phrases if phrase not in _ADVERBS)])


def join_rests(rests: Sequence[str]) -> str:
    """Join the ends of clauses, which begin with a blank.

    >>> join_rests([" study", " die"]), join_rests([""])
    (' study and die', '')
    """
    stripped = [rest.strip() for rest in rests if rest.strip()]
    return f" {join(stripped)}" if stripped else ""
