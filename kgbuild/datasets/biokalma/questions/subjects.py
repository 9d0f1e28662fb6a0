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
from kgbuild.graph.sexes import implied_pronoun, told_pronoun

_PERSON, _THING = "person", "thing"


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
        label = self._pools.label(qid) or qid
        if _PERSON not in kinds[:1]:
            kind = catalog().kinds[kinds[0] if kinds else _THING]
            has_ended = any(self._knowledge.times.years(qid, pid) for pid in kind.end_properties)
            return Subject(kind.phrase(label), "it", has_ended)
        pronoun = told_pronoun(self._knowledge, qid)
        if pronoun is None:  # a title, or the son or daughter of somebody
            first, *later = re.findall(r"\w+", label.casefold()) or [""]
            pronoun = implied_pronoun({first, *({"bin", "bint"} & {*later})})
        return Subject(label, pronoun or "", self._is_dead(qid))

    def _is_dead(self, qid: str) -> bool | None:
        """Return whether a person is dead: True, or None if no source tells.

        The sources are a death, and a property that only dead people have.
        """
        of_dead_people = {*catalog().kinds[_PERSON].end_properties, *lexicon().of_dead_people}
        return any(piece.pid in of_dead_people for piece in self._pools.pieces(qid)) or None
