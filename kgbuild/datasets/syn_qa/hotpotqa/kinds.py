"""Find the kind of thing that a phrase stands for: '1994 film by X' stands for a film."""

import re
from collections.abc import Sequence

from kgbuild.datasets.syn_qa.hotpotqa.text import WORD
from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import KINDS

# Endings of participles and adverbs, and irregular participles
_PARTICIPLE = re.compile(r"(ed|ing|ly)$|^(best|born|built|held|made|run)$")
# What ends a noun phrase: a stop, or a relative pronoun, preposition or participle: 'which', 'by'
CLAUSE_END = re.compile(
    r"[.;:](?:\s|$)|\s(?:that|which|who|whose|whom|where|when|by|from|in|of|for|with|at|on|to|as"
    r"|about|across|along|between|during|based (?:in|on|at)|composed|designed|developed|directed"
    r"|featuring|founded|given|known|located|operating|owned|presented|produced|released"
    r"|representing|serving|since|spanning|starring|sung|used|written)\b"
)


def kind_of(phrase: str) -> str | None:
    """Return the kind of thing that a phrase stands for; None if unknown."""
    return kind_of_words(without_participles(WORD.findall(CLAUSE_END.split(phrase)[0])))


def kind_of_words(words: Sequence[str]) -> str | None:
    """Return the kind of thing that the last word stands for; None if unknown."""
    return KINDS.get(words[-1].lower()) if words else None


def without_participles(words: Sequence[str]) -> list[str]:
    """Return words without participles at their end: 'a device released' becomes 'a device'."""
    end = len(words)
    while end and _PARTICIPLE.search(words[end - 1]) and words[end - 1] not in KINDS:
        end -= 1
    return list(words[:end])
