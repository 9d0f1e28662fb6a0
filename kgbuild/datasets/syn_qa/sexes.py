"""Infer the sex of people, only from what says it."""

import functools
import re

from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.graph.knowledge import Knowledge

SEX = "P21"
_PARENTS = {"P22": "he", "P25": "she"}


class Sexes:
    """Returns the sex of people as a pronoun, or an empty text where nothing says it.

    The sources, in this order: the statement of the sex; being stated as a father or mother; a
    word of the description, such as "actress".
    """

    def __init__(self, knowledge: Knowledge):
        self._statements = knowledge.statements
        self._labels = knowledge.labels
        self.of = functools.cache(self._read)

    def _read(self, qid: str) -> str:
        if stated := {*self._statements.values(qid, SEX)}:
            return next((name for name, sexes in lexicon().sexes.items() if stated <= sexes), "")
        for pid, pronoun in _PARENTS.items():
            if self._statements.subjects(qid, pid):
                return pronoun
        words = {*re.findall(r"\w+", (self._labels.description(qid) or "").casefold())}
        implied = [name for name, gendered in lexicon().described.items() if words & gendered]
        return implied[0] if len(implied) == 1 else ""
