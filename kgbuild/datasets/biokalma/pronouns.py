"""Find the pronouns of people."""

import functools
import re
from collections import Counter, defaultdict

from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean_label

_PERSON = "person"
_HONOURS = ("P166", "P412", "P1344", "P1411", "P2522")
"""Properties whose values may be for one sex: awards, voices and contests."""
_MIN_HINTS = 3
"""Minimum number of namesakes or honours, all of one sex, that imply a pronoun."""


class Pronouns:
    """Finds the pronouns of people."""

    def __init__(self, knowledge: Knowledge):
        self._knowledge = knowledge

    def pronoun(self, qid: str) -> str:
        """Return the pronoun of a person: he, she, or an empty text if unknown.

        The sources, in this order: the statement of the sex; a statement that the person is a
        father or mother; a title or a word of the description, such as "actress"; honours for one
        sex only; the given name, if all people in the store with this name are of one sex.
        """
        pronoun_of_sex = self._pronoun_of_sex(qid)
        if pronoun_of_sex is not None:
            return pronoun_of_sex
        for pid, pronoun in (("P22", "he"), ("P25", "she")):  # father, mother
            if self._knowledge.statements.subjects(qid, pid):
                return pronoun
        label = clean_label(self._knowledge.labels.label(qid) or "")
        if pronoun := _pronoun_of_words(label, self._knowledge.labels.description(qid) or ""):
            return pronoun
        for counts in (self._count_honours(qid), self._namesakes[_given_name(label)]):
            if len(counts) == 1 and counts.total() >= _MIN_HINTS:
                return next(iter(counts))
        return ""

    def _count_honours(self, qid: str) -> Counter[str]:
        """Count a person's awards, voices and contests that are for one sex, by its pronoun."""
        counts: Counter[str] = Counter()
        for pid in _HONOURS:
            for honour in self._knowledge.statements.values(qid, pid):
                label = self._knowledge.labels.label(honour) or ""
                words = {*re.findall(r"\w+", label.casefold())}
                counts.update(
                    pronoun
                    for pronoun, gendered_words in lexicon().honoured.items()
                    if words & gendered_words
                )
        return counts

    def _pronoun_of_sex(self, qid: str) -> str | None:
        """Return the pronoun for the sex in the store: None without one, empty if it is neither."""
        qids = {*self._knowledge.statements.values(qid, "P21")}
        if not qids:
            return None
        return next((pronoun for pronoun, sexes in lexicon().sexes.items() if qids <= sexes), "")

    @functools.cached_property
    def _namesakes(self) -> defaultdict[str, Counter[str]]:
        """The numbers of people with each given name, by pronoun."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for qid, _ in self._knowledge.statements.pairs("P21"):
            pronoun = self._pronoun_of_sex(qid)
            if pronoun and _PERSON in self._knowledge.kinds.names(qid)[:1]:
                counts[_given_name(self._knowledge.labels.label(qid) or "")][pronoun] += 1
        return counts


def _pronoun_of_words(label: str, description: str) -> str:
    """Return the pronoun that a title in the name or a word of the description implies."""
    first, *later = re.findall(r"\w+", label.casefold()) or [""]
    titles = [first, *(word for word in later if word in ("bin", "bint"))]  # son or daughter of
    pronouns = (
        pronoun
        for word in (*titles, *re.findall(r"\w+", description.casefold()))
        for pronoun, words in lexicon().described.items()
        if word in words
    )
    return next(pronouns, "")


def _given_name(label: str) -> str:
    """Return the first word of a name with several words, else an empty text."""
    first, blank, _ = label.partition(" ")
    return first if blank and not first.endswith(".") else ""
