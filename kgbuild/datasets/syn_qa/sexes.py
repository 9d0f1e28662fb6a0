"""Infer the sex of people from statements and descriptions that state or imply it."""

import functools
import re

from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.graph.knowledge import Knowledge

SEX = "P21"
_PARENTS = {"P22": "he", "P25": "she"}
"""Father and mother, with the pronoun of the value."""


class Sexes:
    """Returns the sex of people as a pronoun, or an empty text if it is unknown.

    The sources, in this order: the statement of the sex; a statement that the person is a father or
    mother; a word of the description, such as "actress".
    """

    def __init__(self, knowledge: Knowledge):
        self._statements = knowledge.statements
        self._labels = knowledge.labels
        self.of = functools.cache(self._read)

    def _read(self, qid: str) -> str:
        if qids := {*self._statements.values(qid, SEX)}:
            pronouns = (pronoun for pronoun, sexes in lexicon().sexes.items() if qids <= sexes)
            return next(pronouns, "")
        for pid, pronoun in _PARENTS.items():
            if self._statements.subjects(qid, pid):
                return pronoun
        words = {*re.findall(r"\w+", (self._labels.description(qid) or "").casefold())}
        implied_pronouns = [
            pronoun for pronoun, gendered in lexicon().described.items() if words & gendered
        ]
        return implied_pronouns[0] if len(implied_pronouns) == 1 else ""
