"""Ask models the questions of BioKaLMA, for answers that cite the knowledge in the prompt.

The wording of the prompt is our own; its task is that of the paper (section 3.3 and table 13).
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from kgbuild.datasets.biokalma.citations import Triple
from kgbuild.models.chat import Message, Request

PROTOCOLS = ("specific", "general")
"""The protocols: each asks one of the two questions of an item."""

_MAX_TOKENS = 2048
"""Maximum number of tokens of a reply: two paragraphs, and reasoning."""
_TASK = """\
Answer the question by the knowledge below it, of which each piece stands in brackets, under the \
name of what it is about. Write whole sentences, and tell only what belongs to the answer. Behind \
what you say, cite the piece that it rests on: its brackets with all that is in them, just as they \
are spelled. Where the answer needs something that no piece tells, say it in a sentence of its \
own, and put [NA] behind it in the place of a citation. Cite nothing that is not given."""

# People who are in no dataset, and items that Wikidata does not have.
_TEACHER, _PUPIL = "Q900000001", "Q900000002"
_NAMES = {_TEACHER: "Emeric Vash", _PUPIL: "Tilda Rosmarin"}
_TAUGHT, _DIED, _PLAYED = (
    Triple(_PUPIL, "student of", "Emeric Vash"),
    Triple(_TEACHER, "place of death", "Split"),
    Triple(_PUPIL, "instrument", "cello"),
)
EXAMPLE = (
    Triple(_TEACHER, "occupation", "composer"),
    _DIED,
    Triple(_TEACHER, "student", "Tilda Rosmarin"),
    Triple(_PUPIL, "date of birth", "1874-03-09"),
    _PLAYED,
    _TAUGHT,
)
"""The knowledge of the example."""
_QUESTION = (
    "Who taught Tilda Rosmarin, where did that teacher die, which instrument did she play, "
    "and in which city was she born?"
)


def cited(piece: Triple) -> str:
    """Return the citation of a piece of knowledge."""
    return f"[{piece.qid}, {piece.property}: {piece.value}]"


ANSWER = (
    f"Tilda Rosmarin was a student of Emeric Vash {cited(_TAUGHT)}, who died in Split "
    f"{cited(_DIED)}. She played the cello {cited(_PLAYED)}. She was born in Ljubljana [NA]."
)
"""The answer of the example, which lacks her place of birth."""


def request(question: str, knowledge: Sequence[Triple], names: Mapping[str, str]) -> Request:
    """Return the request for an answer with citations; an example comes before the question.

    ``knowledge`` is in the order of the prompt, with all pieces of an item together; ``names`` are
    the names of the items.

    Source: section 3.3 of the paper, and 4.4 for [NA].
    """
    turns = (
        Message("user", f"{_TASK}\n\n{_prompt(_QUESTION, EXAMPLE, _NAMES)}"),
        Message("assistant", ANSWER),
        Message("user", _prompt(question, knowledge, names)),
    )
    return Request(turns, _MAX_TOKENS)


def _prompt(question: str, knowledge: Sequence[Triple], names: Mapping[str, str]) -> str:
    shown = listed(knowledge, names)
    return f"Question: {question}\n\n{shown}" if shown else f"Question: {question}"


def listed(knowledge: Sequence[Triple], names: Mapping[str, str]) -> str:
    """Return the pieces of knowledge as they are cited, one a line, under the names of the items.

    They are in the order of the prompt, with all pieces of an item together.
    """
    return "\n\n".join(
        "\n".join((f"{names.get(qid, qid)} ({qid}):", *map(cited, pieces)))
        for qid, pieces in groupby(knowledge, key=lambda piece: piece.qid)
    )
