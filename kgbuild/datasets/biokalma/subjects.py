"""How subjects are spoken of: their names, by which pronoun, and whether in the past."""

import functools
import re

from kgbuild.catalog import Catalog, clean
from kgbuild.datasets.biokalma.eras import Eras
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.datasets.biokalma.pool import Pools
from kgbuild.datasets.biokalma.pronouns import Pronouns
from kgbuild.datasets.biokalma.sentences import Subject
from kgbuild.graph.knowledge import Knowledge

_PERSON, _THING = "person", "thing"


class Subjects:
    """Tells how subjects are spoken of; what is no person is "it"."""

    def __init__(self, knowledge: Knowledge, catalog: Catalog, lexicon: Lexicon, pools: Pools):
        self._knowledge = knowledge
        self._catalog = catalog
        self._pronouns = Pronouns(knowledge, lexicon)
        self._eras = Eras(knowledge, catalog, lexicon, pools)
        self.of = functools.lru_cache(None)(self._read)

    def _read(self, qid: str) -> Subject:
        """Return how a subject is spoken of."""
        kinds = self._knowledge.kinds.names(qid)
        label = clean(self._knowledge.labels.label(qid) or qid)
        if _PERSON not in kinds[:1]:
            kind = self._catalog.kinds[kinds[0] if kinds else _THING]
            ended = any(self._knowledge.times.years(qid, pid) for pid in kind.ends)
            return Subject(kind.phrase(label), "it", ended)
        return Subject(label, self._pronouns.of(qid), self._eras.is_past(qid))


def brief(name: str, other: str) -> str:
    """Return how people speak of somebody who has been named in full, beside another one.

    That is the last word of a plain name, and of others what stands before "of" or a title.
    It is the whole name where that might be no surname, or be meant for the other.

    >>> brief("Jean-Jacques Rousseau", "Jacques Derrida"), brief("Plato", "Socrates")
    ('Rousseau', 'Plato')
    >>> brief("Kylie Jenner", "Brody Jenner"), brief("Philip II of Spain", "Mary Tudor")
    ('Kylie', 'Philip II')
    """
    taken = {*other.split()}
    head = _ADDITION.split(name)[0]
    first, *rest = head.split()
    short = [first, *rest]
    if head == name and rest:
        words = [word for word in short if word not in _PARTICLES]
        if all(map(_SURNAME.fullmatch, words)) and rest[-1] not in _NO_SURNAMES:
            # People of one family are called by their first names.
            short = [first] if rest[-1] in taken else rest[-1:]
    return name if taken & {*short} else " ".join(short)


_ADDITION = re.compile(r",| of | bin | bint ")
_PARTICLES = ("da", "de", "del", "der", "di", "du", "la", "le", "van", "von", "zu")
_SURNAME = re.compile(r"[^\W\d_][a-z\u00df-\u024f]+(-[A-Z]\w+)?")
_NO_SURNAMES = ("Jr", "Sr", "Junior", "Senior", "Great", "Elder", "Younger")
