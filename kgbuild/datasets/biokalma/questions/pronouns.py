"""Find the pronouns of people whose sex the store or a description tells."""

import re

from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.graph.knowledge import Knowledge
from kgbuild.relations import clean_label

_SEX = "P21"
_PARENTS = (("P22", "he"), ("P25", "she"))
"""Father and mother, with the pronoun of the value."""


class Pronouns:
    """Finds the pronouns of people."""

    def __init__(self, knowledge: Knowledge):
        self._knowledge = knowledge

    def pronoun(self, qid: str) -> str:
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
