"""Let a language model annotate sentences with pieces, and write paragraphs and questions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.biokalma.questions import writing
from kgbuild.datasets.biokalma.questions.writing import NamedPiece
from kgbuild.datasets.biokalma.sets.drafts import PairDraft
from kgbuild.datasets.biokalma.sets.minimal import joined_items, mentions
from kgbuild.datasets.biokalma.sets.pool import Piece, Pools
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.rows import shuffled

Read: TypeAlias = Callable[[Reply | Failure], PairDraft | Failure]
"""A function that reads a reply: it returns the draft with the new text, or a failure."""
Step: TypeAlias = Callable[[PairDraft], tuple[Request, Read] | None]
"""A function that returns the next request for a draft, and the function that reads the reply.

It returns None if the step does not apply to the draft.
"""


class ModelWriter:
    """Writes texts by a model; each round sends the requests for all drafts at once."""

    def __init__(self, pools: Pools, ask: Ask):
        self._pools = pools
        self._ask = ask

    def annotate(self, drafts: Sequence[PairDraft]) -> list[set[Piece] | Failure]:
        """Return for each draft the pieces of its pool that its sentence states, or a failure."""
        requests = [writing.annotate(draft.opening, self._named(draft.pool)) for draft in drafts]
        annotations: list[set[Piece] | Failure] = []
        for draft, reply in zip(drafts, self._ask(requests), strict=True):
            indices = writing.read_indices(reply, len(draft.pool))
            annotations.append(
                indices
                if isinstance(indices, Failure)
                else {draft.pool[index] for index in indices}
            )
        return annotations

    def write(self, drafts: Sequence[PairDraft]) -> list[PairDraft | Failure]:
        """Return drafts with the model's paragraph and questions, or failures.

        A paragraph begins with the opening of the draft. Each request adds the pieces of one round.
        The questions of the draft are worded anew, and the specific one must ask for each piece.
        """
        outcomes: list[PairDraft | Failure] = [
            draft._replace(paragraph=draft.opening) for draft in drafts
        ]
        rounds = {choice.round for draft in drafts for choice in draft.chosen}
        for round_ in sorted(rounds - {0}):
            self._advance(outcomes, partial(self._extend, round_))
        for field in ("general", "specific"):
            self._advance(outcomes, partial(self._rewrite_question, field))
        self._advance(outcomes, self._check)
        return outcomes

    def _advance(self, outcomes: list[PairDraft | Failure], step: Step) -> None:
        """Take a step of all drafts without a failure, with one request for each."""
        tasks = [
            (index, *task)
            for index, draft in enumerate(outcomes)
            if not isinstance(draft, Failure) and (task := step(draft))
        ]
        replies = self._ask([request for _, request, _ in tasks]) if tasks else []
        for (index, _, read), reply in zip(tasks, replies, strict=True):
            outcomes[index] = read(reply)

    def _extend(self, round_: int, draft: PairDraft) -> tuple[Request, Read] | None:
        """Return the step that adds the pieces of a round to the paragraph."""
        added = [choice.piece for choice in draft.chosen if choice.round == round_]
        if not added:
            return None
        required = [
            choice.piece
            for choice in draft.chosen
            # A biography may state a piece of round 0 in words other than its label.
            if choice.round <= round_ and (choice.round or mentions(draft.opening, choice.piece))
        ]
        required_pieces = self._named(required)

        def read(reply: Reply | Failure) -> PairDraft | Failure:
            text = writing.read_paragraph(reply, required_pieces)
            return text if isinstance(text, Failure) else draft._replace(paragraph=text)

        return writing.extend(draft.paragraph, self._named(added)), read

    def _rewrite_question(self, field: str, draft: PairDraft) -> tuple[Request, Read]:
        """Return the step that words the question in a field of the draft anew."""
        first, _, second = draft.statement
        subjects = self._pools.label(first), self._pools.label(second)
        pieces = self._named(draft.knowledge)

        def read(reply: Reply | Failure) -> PairDraft | Failure:
            text = writing.read_question(reply, subjects, pieces)
            fields: Any = {field: text}
            return text if isinstance(text, Failure) else draft._replace(**fields)

        return writing.rewrite(field, getattr(draft, field), subjects, pieces), read

    def _check(self, draft: PairDraft) -> tuple[Request, Read]:
        """Return the step that checks which pieces the new specific question asks for.

        The pieces of the set are offered with as many others of the pool: a model that only agrees
        takes these, too.
        """
        needed = draft.knowledge
        properties = {(piece.qid, piece.pid) for piece in needed}
        subjects = joined_items(draft.statement)
        others = [
            piece
            for piece in draft.pool
            # Other statements that join the subjects may say the same as the first piece.
            if (piece.qid, piece.pid) not in properties and piece.value.text not in subjects
        ]
        decoys = shuffled(others, key=lambda piece: piece.triple, seed=0)[: len(needed)]
        offered = shuffled([*needed, *decoys], key=lambda piece: piece.triple, seed=0)

        def read(reply: Reply | Failure) -> PairDraft | Failure:
            indices = writing.read_indices(reply, len(offered))
            if isinstance(indices, Failure):
                return indices
            asked = {offered[index] for index in indices}
            for piece in offered:
                if (piece in needed) != (piece in asked):
                    fault = "does not ask" if piece in needed else "also asks"
                    label = self._pools.property_label(piece.pid)
                    detail = f"the question {fault} for {label} of {self._pools.label(piece.qid)}"
                    return Failure("nonsense", detail)
            return draft

        return writing.asked(draft.specific, self._named(offered)), read

    def _named(self, pieces: Sequence[Piece]) -> list[NamedPiece]:
        return [
            NamedPiece(
                self._pools.label(piece.qid),
                self._pools.property_label(piece.pid),
                piece.value_text,
                self._pools.spellings(piece),
            )
            for piece in pieces
        ]
