"""Find how sentences refer to subjects: their names, pronouns and tenses."""

import functools
import re

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.pool import Pools
from kgbuild.datasets.biokalma.pronouns import Pronouns
from kgbuild.datasets.biokalma.sentences import Subject
from kgbuild.datasets.biokalma.tenses import Tenses
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean_label

_PERSON, _THING = "person", "thing"


class Subjects:
    """Finds the names, pronouns and tenses of subjects; a subject that is not a person is "it".

    ``subject`` returns the ``Subject`` of an item id, and caches it.
    """

    def __init__(self, knowledge: Knowledge, pools: Pools):
        self._knowledge = knowledge
        self._pronouns = Pronouns(knowledge)
        self._tenses = Tenses(knowledge, pools)
        self.subject = functools.lru_cache(None)(self._read)

    def _read(self, qid: str) -> Subject:
        kinds = self._knowledge.kinds.names(qid)
        label = clean_label(self._knowledge.labels.label(qid) or qid)
        if _PERSON not in kinds[:1]:
            kind = catalog().kinds[kinds[0] if kinds else _THING]
            has_ended = any(self._knowledge.times.years(qid, pid) for pid in kind.end_properties)
            return Subject(kind.phrase(label), "it", has_ended)
        return Subject(label, self._pronouns.pronoun(qid), self._tenses.is_dead(qid))


def short_name(name: str, other_name: str) -> str:
    """Return a short form of a person's name, for later mentions in a text about two people.

    The short form is the surname, or the first name if ``other_name`` has the same surname. A name
    with an addition, such as "of Spain", loses the addition. The whole name is returned if its last
    word may not be a surname, or if the short form has a word of ``other_name``.

    >>> short_name("Jean-Jacques Rousseau", "Jacques Derrida"), short_name("Plato", "Socrates")
    ('Rousseau', 'Plato')
    >>> short_name("Kylie Jenner", "Brody Jenner"), short_name("Philip II of Spain", "Mary Tudor")
    ('Kylie', 'Philip II')
    """
    other_words = {*other_name.split()}
    without_addition = _ADDITION.split(name)[0]
    words = without_addition.split()
    short = words
    if without_addition == name and len(words) > 1:
        first, last = words[0], words[-1]
        names = [word for word in words if word not in _PARTICLES]
        if all(map(_SURNAME.fullmatch, names)) and last not in _NOT_SURNAMES:
            # First names distinguish members of one family.
            short = [first] if last in other_words else [last]
    return name if other_words & {*short} else " ".join(short)


_ADDITION = re.compile(r",| of | bin | bint ")
"""The beginning of an addition to a name: ", Jr.", " of Spain"."""
_PARTICLES = ("da", "de", "del", "der", "di", "du", "la", "le", "van", "von", "zu")
_SURNAME = re.compile(r"[^\W\d_][a-z\u00df-\u024f]+(-[A-Z]\w+)?")
"""A letter and Latin small letters, perhaps a second part: "Müller", "Joliot-Curie"."""
_NOT_SURNAMES = ("Jr", "Sr", "Junior", "Senior", "Great", "Elder", "Younger")
