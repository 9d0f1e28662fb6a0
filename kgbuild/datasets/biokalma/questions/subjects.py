"""Find how sentences refer to subjects: their names, pronouns and tenses.

Nothing is guessed: without a statement or a description that tells the sex, a person has no
pronoun; without one that tells the death, a person has no tense.
"""

import functools
import re

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.questions.clauses import Subject
from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.biokalma.sets.pool import Pools
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean_label

_PERSON, _THING = "person", "thing"
_NOBODY_LIVES_FROM = 1900
"""People born before this year are dead."""
_SEX = "P21"
_PARENTS = (("P22", "he"), ("P25", "she"))
"""Father and mother, with the pronoun of the value."""


class Subjects:
    """Finds the names, pronouns and tenses of subjects; a subject that is not a person is "it".

    ``subject`` returns the ``Subject`` of an item id, and caches it.
    """

    def __init__(self, knowledge: Knowledge, pools: Pools):
        self._knowledge = knowledge
        self._pools = pools
        self.subject = functools.lru_cache(None)(self._read)

    def _read(self, qid: str) -> Subject:
        kinds = self._knowledge.kinds.names(qid)
        label = clean_label(self._knowledge.labels.label(qid) or qid)
        if _PERSON not in kinds[:1]:
            kind = catalog().kinds[kinds[0] if kinds else _THING]
            has_ended = any(self._knowledge.times.years(qid, pid) for pid in kind.end_properties)
            return Subject(kind.phrase(label), "it", has_ended)
        return Subject(label, self._pronoun(qid), self._is_dead(qid))

    def _pronoun(self, qid: str) -> str:
        """Return the pronoun of a person: he, she, or an empty text if unknown.

        The sources, in this order: the statement of the sex; a statement that the person is a
        father or mother; a title or a word of the description, such as "actress".
        """
        if qids := {*self._knowledge.statements.values(qid, _SEX)}:
            pronouns = (pronoun for pronoun, sexes in lexicon().sexes.items() if qids <= sexes)
            return next(pronouns, "")
        for pid, pronoun in _PARENTS:
            if self._knowledge.statements.subjects(qid, pid):
                return pronoun
        label = clean_label(self._knowledge.labels.label(qid) or "")
        return _pronoun_of_words(label, self._knowledge.labels.description(qid) or "")

    def _is_dead(self, qid: str) -> bool | None:
        """Return whether a person is dead: True, or None if no source tells.

        The sources are a death, a property that only dead people have, and a birth before anybody's
        who lives.
        """
        kind = catalog().kinds[_PERSON]
        of_dead_people = {*kind.end_properties, *lexicon().of_dead_people}
        if any(piece.pid in of_dead_people for piece in self._pools.pieces(qid)):
            return True
        births = [
            latest
            for pid in kind.begin_properties
            for _, latest in self._knowledge.times.years(qid, pid)
        ]
        return True if births and max(births) < _NOBODY_LIVES_FROM else None


def _pronoun_of_words(label: str, description: str) -> str:
    """Return the pronoun that titles in the name and words of the description imply.

    The result is empty if they imply both: "father of an actress".
    """
    first, *later = re.findall(r"\w+", label.casefold()) or [""]
    titles = [first, *(word for word in later if word in ("bin", "bint"))]  # son or daughter of
    for words in (titles, re.findall(r"\w+", description.casefold())):
        pronouns = {
            pronoun
            for pronoun, gendered_words in lexicon().described.items()
            if not gendered_words.isdisjoint(words)
        }
        if pronouns:
            return pronouns.pop() if len(pronouns) == 1 else ""
    return ""
