"""Let a language model annotate sentences with facts, and write paragraphs and questions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.biokalma import writing_prompts, writing_replies
from kgbuild.datasets.biokalma.drafts import Draft
from kgbuild.datasets.biokalma.minimal import mentions
from kgbuild.datasets.biokalma.pool import Fact, Pools
from kgbuild.datasets.biokalma.writing_prompts import Piece, Subjects
from kgbuild.models.chat import Failure, Reply, Request

Read: TypeAlias = Callable[[Reply | Failure], Draft | Failure]
Step: TypeAlias = Callable[[Draft], tuple[Request, Read] | None]
"""Returns the request that advances a draft, and the reader of its reply; None without one."""


class ModelWriter:
    """Writes texts by a model; each round sends the requests for all drafts at once."""

    def __init__(self, pools: Pools, ask: Ask):
        self._pools = pools
        self._ask = ask

    def stated(self, drafts: Sequence[Draft]) -> list[set[Fact] | Failure]:
        """Return for each draft the facts of its pool that its sentence states, or a failure."""
        annotate = writing_prompts.annotate
        requests = [annotate(draft.begins, self._pieces(draft.pool)) for draft in drafts]
        outcomes = [
            writing_replies.stated(reply, len(draft.pool))
            for draft, reply in zip(drafts, self._ask(requests), strict=True)
        ]
        return [
            indices if isinstance(indices, Failure) else {draft.pool[n] for n in indices}
            for draft, indices in zip(drafts, outcomes, strict=True)
        ]

    def write(self, drafts: Sequence[Draft]) -> list[Draft | Failure]:
        """Return drafts with the model's paragraph and questions, or failures.

        A paragraph begins with the sentence of a biography, or with one about the joining facts.

        Source: appendix A.3 of the paper.
        """
        done: list[Draft | Failure] = [draft._replace(paragraph=draft.begins) for draft in drafts]
        for round_ in range(1, 1 + max((draft.rounds for draft in drafts), default=0)):
            self._advance(done, partial(self._extension, round_))
        for field, prompt in (
            ("general", writing_prompts.general),
            ("specific", writing_prompts.specific),
        ):
            self._advance(done, partial(self._question, field, prompt))
        return done

    def _advance(self, done: list[Draft | Failure], step: Step) -> None:
        """Advance all drafts without a failure by one request each."""
        waiting = [
            (place, *task)
            for place, draft in enumerate(done)
            if not isinstance(draft, Failure) and (task := step(draft))
        ]
        replies = self._ask([request for _, request, _ in waiting]) if waiting else []
        for (place, _, read), reply in zip(waiting, replies, strict=True):
            done[place] = read(reply)

    def _extension(self, round_: int, draft: Draft) -> tuple[Request, Read] | None:
        added = [choice.fact for choice in draft.chosen if choice.round == round_]
        if not added:
            return None
        earlier = [
            choice.fact
            for choice in draft.chosen
            # A biography may state a fact in words other than its label.
            if choice.round <= round_ and (choice.round or mentions(draft.begins, choice.fact))
        ]
        so_far = self._pieces(earlier)

        def read(reply: Reply | Failure) -> Draft | Failure:
            text = writing_replies.extended(reply, so_far)
            return text if isinstance(text, Failure) else draft._replace(paragraph=text)

        return writing_prompts.extend(draft.paragraph, self._pieces(added)), read

    def _question(
        self, field: str, prompt: Callable[[str, Subjects, Sequence[Piece]], Request], draft: Draft
    ) -> tuple[Request, Read]:
        """Return the request for the question of a field, and the reader of its reply."""
        first, _, second = draft.statement
        subjects = self._pools.label(first), self._pools.label(second)
        pieces = self._pieces(draft.knowledge)

        def read(reply: Reply | Failure) -> Draft | Failure:
            text = writing_replies.question(reply, subjects, pieces)
            changed: Any = {field: text}
            return text if isinstance(text, Failure) else draft._replace(**changed)

        return prompt(draft.paragraph, subjects, pieces), read

    def _pieces(self, facts: Sequence[Fact]) -> list[Piece]:
        return [
            Piece(
                self._pools.label(fact.qid),
                self._pools.property_label(fact.pid),
                fact.shown,
                self._pools.spellings(fact),
            )
            for fact in facts
        ]
