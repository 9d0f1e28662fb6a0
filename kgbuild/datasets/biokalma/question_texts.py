"""What is written of a knowledge set: its paragraph and its two questions."""

from collections import defaultdict
from collections.abc import Sequence

from kgbuild.catalog import Catalog, Relation
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.datasets.biokalma.minimal import Triple
from kgbuild.datasets.biokalma.phrases import Phraser
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.sentences import (
    Description,
    Predicate,
    Subject,
    general_question,
    paragraph,
    specific_question,
)
from kgbuild.datasets.biokalma.subjects import Subjects, brief
from kgbuild.rows import stable_id


class QuestionTexts:
    """Writes by templates, about two whom a statement joins and the set of facts about them.

    The set begins with what that statement is: itself, or two of a path.
    """

    def __init__(
        self, catalog: Catalog, lexicon: Lexicon, phraser: Phraser, subjects: Subjects, pools: Pools
    ):
        self._catalog = catalog
        self._lexicon = lexicon
        self._phraser = phraser
        self._subjects = subjects
        self._pools = pools

    def name(self, qid: str) -> str:
        """Return how a subject is named in a sentence."""
        return self._subjects.of(qid).name

    def is_thing(self, qid: str) -> bool:
        """Tell whether a subject is something else than a person."""
        return self._subjects.of(qid).pronoun == "it"

    def sentence(self, facts: Sequence[Fact]) -> str:
        """Return a sentence that says facts of one subject and property."""
        return paragraph(self._lexicon, [(self._subjects.of(facts[0].qid), [self._said(facts)])])

    def paragraph(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return a paragraph that says all facts of a set."""
        joint = facts[: _steps(statement)]
        opening = [(self._subject(fact.qid, statement), [self._said([fact])]) for fact in joint]
        return paragraph(self._lexicon, [*opening, *self._about(statement, facts)])

    def general(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return the question that names the topics of a set."""
        about = self._about(statement, facts)
        if any(subject.pronoun == "it" for subject, _ in about):
            sort = "thing"
        else:
            sort = "kin" if statement[1] in self._lexicon.kin else "other"
        forms = self._lexicon.general[sort]
        if not self._lexicon.telling & {fact.pid for fact in facts[_steps(statement) :]}:
            forms = tuple(form for form in forms if not form.startswith(_WHO))
        return general_question(self._lexicon, _one_of(forms, statement), about)

    def specific(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return the question that asks for each fact of a set."""
        opening = _one_of(self._relation(statement).biokalma, statement)
        return specific_question(self._lexicon, opening, self._about(statement, facts))

    def _about(self, statement: Triple, facts: Sequence[Fact]) -> list[Description]:
        """Return the predicates of each of the two subjects, in the order of the lexicon."""
        grouped: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        for fact in facts[_steps(statement) :]:
            grouped[fact.qid, fact.pid].append(fact)
        return [
            (
                self._subject(qid, statement),
                sorted(
                    (self._said(some) for (about, _), some in grouped.items() if about == qid),
                    key=lambda said: said.wording.place,
                ),
            )
            for qid in statement[::2]
        ]

    def _subject(self, qid: str, statement: Triple) -> Subject:
        """Return how a subject is spoken of beside the other one.

        One of whom no date is known is alive if the other one is, and the two were so at the
        same time; else spoken of in the past.
        """
        first, _, second = statement
        subject = self._subjects.of(qid)
        beside = self._subjects.of(second if qid == first else first)
        is_past = subject.is_past
        if is_past is None:
            relation = self._relation(statement)
            together = relation.contemporary or relation.symmetric
            is_past = not (together and beside.is_past is False)
        short = subject.name if self.is_thing(qid) else brief(subject.name, beside.name)
        return subject._replace(brief=short, is_past=is_past)

    def _relation(self, statement: Triple) -> Relation:
        return self._catalog.relations[statement[1].rpartition("/")[2]]

    def _said(self, facts: Sequence[Fact]) -> Predicate:
        return self._phraser.predicate(facts, self._pools.property_label(facts[0].pid))


_WHO = "Who "


def _steps(statement: Triple) -> int:
    """Return how many facts a statement stands for."""
    return 1 + statement[1].count("/")


def _one_of(forms: Sequence[str], statement: Triple) -> str:
    """Return one of several forms, always the same one for the same two subjects."""
    return forms[int(stable_id("form", *statement), 16) % len(forms)]
