"""A stand-in for a language model: it knows the datasets of a database, and always says the same.

It answers rightly, cites what a question needs and marks the rest, and as a judge gives the highest
grade. Its samples are not all alike: some are coarser than the right answer.
"""

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from kgbuild.datasets import database
from tests.chat_server import grade_reply

_FACT = re.compile(r"^\[(Q\d+), ([^:\]]+): (.+)\]$", re.MULTILINE)
"""A piece of knowledge in a prompt of BioKaLMA."""
_TOP = ("5", "yes", "1")
"""The highest grades of all scales."""


class StandIn:
    """Replies to the requests of ``kgbuild ask``, of judges and of aggregation."""

    def __init__(self, db: Path):
        tables = database(db)
        with tables.reading():
            self._levels: dict[str, list[str]] = defaultdict(list)
            for question, answer in tables.sql(
                "SELECT question, answer FROM granola_answers JOIN granola_questions"
                " USING (question_id) ORDER BY question_id, level, answer"
            ).rows:
                self._levels[question].append(answer)
            self._truth = dict(
                tables.sql("SELECT question, false_assumption FROM syn_qa_questions").rows
            )
            self._needed: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
            for specific, general, scope, *piece in tables.sql(
                'SELECT specific_question, general_question, scope, qid, property_label, "value"'
                " FROM biokalma_knowledge JOIN biokalma_questions USING (question_id)"
            ).rows:
                for question in (general, specific) if scope == "specific" else (general,):
                    self._needed[question].append((piece[0], piece[1], piece[2]))
        self._samples: Counter[str] = Counter()

    def __call__(self, sent: dict[str, Any]) -> str:
        """Return the reply to the body of a request."""
        prompt = sent["messages"][-1]["content"]
        if grades := re.search(r"one of these and no other: ([^.]*)\.", prompt):
            top = next(grade for grade in _TOP if grade in grades[1].split(", "))
            return grade_reply(top, "It is good.")
        if question := self._find(prompt, self._needed):
            return self._cite(question, prompt)
        if question := self._find(prompt, self._levels):
            return self._answer(question, sent)
        question = self._find(prompt, self._truth)
        if "false assumption" in prompt:
            return "Yes" if self._truth[question] else "No"
        return f"About {question}: nothing is known."

    def _find(self, prompt: str, questions: Any) -> str:
        """Return the question that comes last in a prompt, behind its examples; "" if none."""
        places = {question: prompt.rfind(question) for question in questions}
        question = max(places, key=places.__getitem__, default="")
        return question if places.get(question, -1) >= 0 else ""

    def _answer(self, question: str, sent: dict[str, Any]) -> str:
        levels = self._levels[question]
        if "Reply with one line" in sent["messages"][-1]["content"]:  # of aggregation
            return f"Answer: {levels[0]}"
        if not sent["temperature"]:
            return levels[0]
        self._samples[question] += 1
        return levels[-1] if self._samples[question] % 3 == 0 else levels[0]

    def _cite(self, question: str, prompt: str) -> str:
        given = set(_FACT.findall(prompt))
        sentences = [
            f"Its {label} is {value} [{qid}, {label}: {value}]."
            if (qid, label, value) in given
            else f"Its {label} is {value} [NA]."
            for qid, label, value in self._needed[question]
        ]
        return " ".join(sentences)
