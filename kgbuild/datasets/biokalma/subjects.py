"""How sentences refer to subjects: by name, by pronoun, and in which tense."""

import functools
import re

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.pool import Pools
from kgbuild.datasets.biokalma.pronouns import Pronouns
from kgbuild.datasets.biokalma.sentences import Subject
from kgbuild.datasets.biokalma.tenses import Tenses
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean

_PERSON, _THING = "person", "thing"


class Subjects:
    """Finds the names, pronouns and tenses of subjects; a subject that is not a person is "it"."""

    def __init__(self, knowledge: Knowledge, pools: Pools):
        self._knowledge = knowledge
        self._pronouns = Pronouns(knowledge)
        self._tenses = Tenses(knowledge, pools)
        self.subject = functools.lru_cache(None)(self._read)

    def _read(self, qid: str) -> Subject:
        kinds = self._knowledge.kinds.names(qid)
        label = clean(self._knowledge.labels.label(qid) or qid)
        if _PERSON not in kinds[:1]:
            kind = catalog().kinds[kinds[0] if kinds else _THING]
            ended = any(self._knowledge.times.years(qid, pid) for pid in kind.ends)
            return Subject(kind.phrase(label), "it", ended)
        return Subject(label, self._pronouns.of(qid), self._tenses.is_past(qid))


def short_name(name: str, other: str) -> str:
    """Return the short name of a person for later mentions, in a text about ``other`` too.

    It is the last word of a plain name; the part before "of" or a title of other names. It is the
    whole name if the last word may not be a surname, or may refer to the other person.

    >>> short_name("Jean-Jacques Rousseau", "Jacques Derrida"), short_name("Plato", "Socrates")
    ('Rousseau', 'Plato')
    >>> short_name("Kylie Jenner", "Brody Jenner"), short_name("Philip II of Spain", "Mary Tudor")
    ('Kylie', 'Philip II')
    """
    taken = {*other.split()}
    head = _ADDITION.split(name)[0]
    first, *rest = head.split()
    short = [first, *rest]
    if head == name and rest:
        words = [word for word in short if word not in _PARTICLES]
        if all(map(_SURNAME.fullmatch, words)) and rest[-1] not in _NOT_SURNAMES:
            # First names distinguish members of one family.
            short = [first] if rest[-1] in taken else rest[-1:]
    return name if taken & {*short} else " ".join(short)


_ADDITION = re.compile(r",| of | bin | bint ")
_PARTICLES = ("da", "de", "del", "der", "di", "du", "la", "le", "van", "von", "zu")
_SURNAME = re.compile(r"[^\W\d_][a-z\u00df-\u024f]+(-[A-Z]\w+)?")
_NOT_SURNAMES = ("Jr", "Sr", "Junior", "Senior", "Great", "Elder", "Younger")
