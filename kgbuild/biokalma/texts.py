"""What is written of a knowledge set: its paragraph and its two questions."""

from collections import defaultdict
from collections.abc import Sequence

from kgbuild.biokalma.minimal import Triple
from kgbuild.biokalma.phrases import Phrases
from kgbuild.biokalma.pool import Fact, Pools
from kgbuild.biokalma.subjects import Subjects, brief
from kgbuild.biokalma.wording import Said, Subject, general, paragraph, specific
from kgbuild.biokalma.words import Words
from kgbuild.building import stable_id
from kgbuild.relations import Catalog


class Texts:
    """Writes by templates. The first fact of a set is the one that joins its two subjects."""

    def __init__(
        self, catalog: Catalog, words: Words, phrases: Phrases, subjects: Subjects, pools: Pools
    ):
        self._catalog = catalog
        self._words = words
        self._phrases = phrases
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
        return paragraph(self._words, [(self._subjects.of(facts[0].qid), [self._said(facts)])])

    def paragraph(self, facts: Sequence[Fact]) -> str:
        """Return a paragraph that says all facts of a set."""
        joint, *others = facts
        opening = [(self._subject(joint.qid, joint), [self._said([joint])])]
        return paragraph(self._words, [*opening, *self._about(joint, others)])

    def general(self, facts: Sequence[Fact]) -> str:
        """Return the question that names the topics of a set."""
        joint, *others = facts
        about = self._about(joint, others)
        if any(subject.pronoun == "it" for subject, _ in about):
            sort = "thing"
        else:
            sort = "kin" if joint.pid in self._words.kin else "other"
        forms = self._words.general[sort]
        return general(self._words, _one_of(forms, joint.triple), about)

    def specific(self, facts: Sequence[Fact]) -> str:
        """Return the question that asks for each fact of a set."""
        joint, *others = facts
        about = self._about(joint, others)
        opening = _one_of(self._catalog.relations[joint.pid].biokalma, joint.triple)
        return specific(self._words, opening, about)

    def _about(self, joint: Fact, facts: Sequence[Fact]) -> list[tuple[Subject, list[Said]]]:
        """Return what facts say of each of the two, in the order of ``words.toml``."""
        grouped: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        for fact in facts:
            grouped[fact.qid, fact.pid].append(fact)
        return [
            (
                self._subject(qid, joint),
                sorted(
                    (self._said(some) for (about, _), some in grouped.items() if about == qid),
                    key=lambda said: said.wording.place,
                ),
            )
            for qid in (joint.qid, joint.value.text)
        ]

    def _subject(self, qid: str, joint: Fact) -> Subject:
        """Return how a subject is spoken of beside the other one.

        One of whom no date is known is alive if the other one is, and the two were so at the
        same time; else spoken of in the past.
        """
        pair = (joint.qid, joint.value.text)
        subject, beside = self._subjects.of(qid), self._subjects.of(pair[pair[0] == qid])
        is_past = subject.is_past
        if is_past is None:
            is_past = not (self._met(joint) and beside.is_past is False)
        return subject._replace(brief=brief(subject.name, beside.name), is_past=is_past)

    def _met(self, joint: Fact) -> bool:
        """Tell whether two who are joined so lived at the same time."""
        relation = self._catalog.relations[joint.pid]
        return relation.contemporary or relation.symmetric

    def _said(self, facts: Sequence[Fact]) -> Said:
        return self._phrases.said(facts, self._pools.property_label(facts[0].pid))


def _one_of(forms: Sequence[str], joint: Triple) -> str:
    """Return one of several forms, always the same one for the same two subjects."""
    return forms[int(stable_id("form", *joint), 16) % len(forms)]
