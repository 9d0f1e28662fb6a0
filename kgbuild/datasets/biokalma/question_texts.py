"""Write the texts of a knowledge set: its paragraph and its two questions."""

from collections import defaultdict
from collections.abc import Sequence

from kgbuild.catalog import Catalog
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
from kgbuild.datasets.biokalma.subjects import Subjects, short_name
from kgbuild.relations import Relation
from kgbuild.rows import stable_id


class QuestionTexts:
    """Writes by templates, about two subjects that a statement joins and the facts about them.

    The facts begin with the joining statement: one fact, or two if it is a path.
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
        """Return the name of a subject in sentences."""
        return self._subjects.of(qid).name

    def is_thing(self, qid: str) -> bool:
        """Return whether a subject is not a person."""
        return self._subjects.of(qid).pronoun == "it"

    def sentence(self, facts: Sequence[Fact]) -> str:
        """Return a sentence that states facts of one subject and property."""
        return paragraph(
            self._lexicon, [(self._subjects.of(facts[0].qid), [self._predicate(facts)])]
        )

    def paragraph(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return a paragraph that states all facts of a set."""
        joint = facts[: _steps(statement)]
        opening = [
            (self._subject(fact.qid, statement), [self._predicate([fact])]) for fact in joint
        ]
        return paragraph(self._lexicon, [*opening, *self._about(statement, facts)])

    def general(self, statement: Triple, facts: Sequence[Fact]) -> str:
        """Return the question that names the topics of a set."""
        about = self._about(statement, facts)
        if any(subject.pronoun == "it" for subject, _ in about):
            form = "thing"
        else:
            form = "kin" if statement[1] in self._lexicon.kin else "other"
        forms = self._lexicon.general[form]
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
                    (
                        self._predicate(group)
                        for (subject, _), group in grouped.items()
                        if subject == qid
                    ),
                    key=lambda predicate: predicate.wording.place,
                ),
            )
            for qid in statement[::2]
        ]

    def _subject(self, qid: str, statement: Triple) -> Subject:
        """Return how sentences refer to a subject, given the other one.

        A subject without dates counts as alive if the other one is alive and the relation joins
        contemporaries; else it is past.
        """
        first, _, second = statement
        subject = self._subjects.of(qid)
        beside = self._subjects.of(second if qid == first else first)
        is_past = subject.is_past
        if is_past is None:
            relation = self._relation(statement)
            together = relation.contemporary or relation.symmetric
            is_past = not (together and beside.is_past is False)
        short = subject.name if self.is_thing(qid) else short_name(subject.name, beside.name)
        return subject._replace(short_name=short, is_past=is_past)

    def _relation(self, statement: Triple) -> Relation:
        return self._catalog.relations[statement[1].rpartition("/")[2]]

    def _predicate(self, facts: Sequence[Fact]) -> Predicate:
        return self._phraser.predicate(facts, self._pools.property_label(facts[0].pid))


_WHO = "Who "


def _steps(statement: Triple) -> int:
    """Return the number of facts of a joining statement: its length as a path."""
    return 1 + statement[1].count("/")


def _one_of(forms: Sequence[str], statement: Triple) -> str:
    """Choose a form by a hash of the statement, so that builds agree."""
    return forms[int(stable_id("form", *statement), 16) % len(forms)]
