"""Write the paragraph and the two questions of a knowledge set."""

from collections import defaultdict
from collections.abc import Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.questions.clauses import Description, Predicate, Subject, needs_tense
from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.biokalma.questions.mentions import short_name
from kgbuild.datasets.biokalma.questions.paragraphs import write_paragraph
from kgbuild.datasets.biokalma.questions.phrases import Phraser
from kgbuild.datasets.biokalma.questions.subjects import Subjects
from kgbuild.datasets.biokalma.questions.wording import (
    is_parallel,
    write_general_question,
    write_specific_question,
)
from kgbuild.datasets.biokalma.sets.minimal import Triple, joined_items
from kgbuild.datasets.biokalma.sets.pool import Piece, Pools
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Rejected, stable_id


class PairTexts:
    """Writes texts by templates, from a knowledge set about two subjects that a statement joins.

    The set begins with this statement: with one piece, or with two for a path (``P800/P57``).
    """

    def __init__(self, knowledge: Knowledge, pools: Pools):
        self._phraser = Phraser(knowledge, pools)
        self._subjects = Subjects(knowledge, pools)
        self._predicate = self._phraser.predicate

    def name(self, qid: str) -> str:
        """Return the name of a subject in sentences."""
        return self._subjects.subject(qid).name

    def lacks_tense(self, pieces: Sequence[Piece]) -> bool:
        """Return whether the question for pieces needs the tense of a subject without one."""
        is_past = self._subjects.subject(pieces[0].qid).is_past
        # The questions do not depend on the values, unlike the sentences that state them.
        return is_past is None and needs_tense(lexicon().wording(pieces[0].pid).asks)

    def is_parallel(self, first: Sequence[Piece], second: Sequence[Piece]) -> bool:
        """Return whether one clause can ask both subjects for pieces of one property."""
        return is_parallel(self._predicate(first), self._predicate(second))

    def sentences(self, pieces: Sequence[Piece]) -> str:
        """Return a sentence about each subject of pieces of one property."""
        by_subject: dict[str, list[Piece]] = defaultdict(list)
        for piece in pieces:
            by_subject[piece.qid].append(piece)
        described = [
            (self._subjects.subject(qid), [self._predicate(of_one)])
            for qid, of_one in by_subject.items()
        ]
        return write_paragraph(described)

    def paragraph(self, statement: Triple, pieces: Sequence[Piece]) -> str:
        """Return a paragraph that states all pieces of a set."""
        joining_pieces = pieces[: _path_length(statement)]
        opening = [
            (self._subject(piece.qid, statement), [self._predicate([piece])])
            for piece in joining_pieces
        ]
        return write_paragraph([*opening, *self._descriptions(statement, pieces)])

    def general(self, statement: Triple, pieces: Sequence[Piece], theme: str) -> str:
        """Return the general question of a set, which names a theme."""
        first, second = joined_items(statement)
        asks = lexicon().names[theme].asks
        return write_general_question(
            self._opening(statement, pieces[0]),
            (self._subject(first, statement), self._subject(second, statement)),
            asks[_form("general", statement) % len(asks)],
        )

    def specific(self, statement: Triple, pieces: Sequence[Piece]) -> str:
        """Return the specific question, which asks for each piece of a set."""
        descriptions = self._descriptions(statement, pieces)
        return write_specific_question(self._opening(statement, pieces[0]), descriptions)

    def _opening(self, statement: Triple, joining: Piece) -> str:
        """Return the template of the opening, which asks what joins the subjects.

        ``joining`` is the first piece of the set; its value is what a path leads through.

        Raises:
            Rejected: nothing tells what kind of work joins them.
        """
        openings = catalog().relations[statement[1].rpartition("/")[2]].biokalma
        opening = openings[_form("form", statement) % len(openings)]
        if _path_length(statement) == 1:
            return opening
        wording = lexicon().wording(joining.pid)
        noun = self._phraser.noun([joining], wording)
        if noun == wording.noun:
            raise Rejected("kind of work", joining.value_text)
        return opening.replace("{work}", noun[0])

    def _descriptions(self, statement: Triple, pieces: Sequence[Piece]) -> list[Description]:
        """Return both subjects with their predicates in the order of the lexicon.

        The joining statement is left out.
        """
        by_property: dict[tuple[str, str], list[Piece]] = defaultdict(list)
        for piece in pieces[_path_length(statement) :]:
            by_property[piece.qid, piece.pid].append(piece)
        predicates: dict[str, list[Predicate]] = defaultdict(list)
        for (qid, _), pieces_of_property in by_property.items():
            predicates[qid].append(self._predicate(pieces_of_property))
        return [
            (
                self._subject(qid, statement),
                sorted(predicates[qid], key=lambda predicate: predicate.wording.position),
            )
            for qid in joined_items(statement)
        ]

    def _subject(self, qid: str, statement: Triple) -> Subject:
        """Return how sentences refer to a subject of a statement."""
        first, _, second = statement
        subject = self._subjects.subject(qid)
        partner = self._subjects.subject(second if qid == first else first)
        short = subject.name if subject.pronoun == "it" else short_name(subject.name, partner.name)
        return subject._replace(short_name=short)


def _path_length(statement: Triple) -> int:
    """Return the number of pieces of a joining statement: 2 for a path of two properties."""
    return 1 + statement[1].count("/")


def _form(question: str, statement: Triple) -> int:
    """Return the number of a form, a hash of the statement, so that all builds choose the same."""
    return int(stable_id(question, *statement), 16)
