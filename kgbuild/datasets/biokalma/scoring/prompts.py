"""Write the prompts that ask models for answers with citations of the knowledge in the prompt.

A prompt has a question and its pool: pieces of knowledge, each about an item. The wording of the
prompt is our own; the task is the task of the BioKaLMA paper (section 3.3 and table 13).
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from kgbuild.datasets.biokalma.scoring.citations import Triple
from kgbuild.models.chat import Message, Request

PROTOCOLS = ("specific", "general")
"""The protocols: each asks one of the two questions of a row of biokalma_questions."""

_MAX_TOKENS = 2048
"""Maximum number of tokens of a reply: enough for two paragraphs and for reasoning."""
_TASK = """\
Answer the question by the knowledge below it, of which each piece stands in brackets, under the \
name of what it is about. Write whole sentences, and tell only what belongs to the answer. Behind \
what you say, cite the piece that it rests on: its brackets with all that is in them, just as they \
are spelled. Where the answer needs something that no piece tells, say it in a sentence of its \
own, and put [NA] behind it in the place of a citation. Cite nothing that is not given."""

# People who are in no dataset, and items that Wikidata does not have.
_TEACHER, _PUPIL = "Q900000001", "Q900000002"
_NAMES = {_TEACHER: "Emeric Vash", _PUPIL: "Tilda Rosmarin"}
_STUDENT_OF, _DEATH, _INSTRUMENT = (
    Triple(_PUPIL, "student of", "Emeric Vash"),
    Triple(_TEACHER, "place of death", "Split"),
    Triple(_PUPIL, "instrument", "cello"),
)
EXAMPLE = (
    Triple(_TEACHER, "occupation", "composer"),
    _DEATH,
    Triple(_TEACHER, "student", "Tilda Rosmarin"),
    Triple(_PUPIL, "date of birth", "1874-03-09"),
    _INSTRUMENT,
    _STUDENT_OF,
)
"""The pool of the example."""
_EXAMPLE_QUESTION = (
    "Who taught Tilda Rosmarin, where did that teacher die, which instrument did she play, "
    "and in which city was she born?"
)


def citation(piece: Triple) -> str:
    """Return the citation of a piece of knowledge."""
    return f"[{piece.qid}, {piece.property}: {piece.value}]"


ANSWER = (
    f"Tilda Rosmarin was a student of Emeric Vash {citation(_STUDENT_OF)}, who died in Split "
    f"{citation(_DEATH)}. She played the cello {citation(_INSTRUMENT)}. She was born in "
    "Ljubljana [NA]."
)
"""The answer of the example; its pool lacks the place of birth."""


def request(question: str, knowledge: Sequence[Triple], names: Mapping[str, str]) -> Request:
    """Return the request for an answer with citations; an example comes before the question.

    ``knowledge`` is the pool in the order of the prompt, with all pieces of an item together.
    ``names`` has the names of items by id.

    Source: section 3.3 of the paper, and section 4.4 for [NA], the mark of missing knowledge.
    """
    turns = (
        Message("user", f"{_TASK}\n\n{_prompt(_EXAMPLE_QUESTION, EXAMPLE, _NAMES)}"),
        Message("assistant", ANSWER),
        Message("user", _prompt(question, knowledge, names)),
    )
    return Request(turns, _MAX_TOKENS)


def _prompt(question: str, knowledge: Sequence[Triple], names: Mapping[str, str]) -> str:
    return "\n\n".join(filter(None, (f"Question: {question}", pool_lines(knowledge, names))))


def pool_lines(knowledge: Sequence[Triple], names: Mapping[str, str]) -> str:
    """Return the citation of each piece of knowledge on a line, under the name of its item.

    ``knowledge`` has all pieces of an item together; its order is kept.
    """
    return "\n\n".join(
        "\n".join((f"{names.get(qid, qid)} ({qid}):", *map(citation, pieces)))
        for qid, pieces in groupby(knowledge, key=lambda piece: piece.qid)
    )
