"""Find the parts of a reply that are about the relation that a question asks for.

"Born in 1927, he died on 22 September 1999" has a clause about a birth and one about a death. A
clause begins at a word such as "born" and ends at the next such word.
"""

import functools
import re

_TOPICS = {
    "birth": (("P19", "P569"), r"born|birth(?:day|place|date)?|native of"),
    "death": (
        ("P20", "P570"),
        r"died|dies|death|deceased|passed away|killed|lived (?:on )?(?:until|till|to be)",
    ),
    "beginning": (
        ("P571", "P740", "P112"),
        r"founded|established|created|formed|incorporated|inception|admitted"
        r"|dates? (?:back to|from|to)",
    ),
    "publication": (("P577",), r"released?|published|publication|premiered|came out"),
}
_OWN_WORDS = {
    "publication": r"opened|aired|debuted|issued"
    r"|(?:hit|reached|in) (?:the )?(?:cinemas|theaters|theatres|screens|shops|stores|shelves)"
}
"""Words about a topic that other questions use otherwise: a school opens, too."""
_WORDS_OF_OTHERS = {
    "P69": r"stud(?:y|ied|ies)|educat\w+|degrees?|schools?|college|university|graduated?|attended",
    "P26": r"marr(?:y|ied|iage)|wife|husband|spouse",
    "P264": r"labels?|signed",
}
"""Words about relations whose clauses begin with no word of their own."""
_TOPIC_OF = {pid: topic for topic, (pids, _) in _TOPICS.items() for pid in pids}
BIRTH, DEATH = "birth", "death"
_BORN_FIRST = re.compile(r"\W*(?:[\w.'’-]+\s){0,5}?born\b[^,;.\n]*[,;]\s*", re.IGNORECASE)
"""A clause about a birth before another one: "Although he was born in Budapest, …"."""


@functools.cache
def _cue(own_topic: str | None) -> re.Pattern[str]:
    """Return the words that begin clauses, in a group for each topic."""
    words = {
        name: f"{usual}|{_OWN_WORDS[name]}" if name == own_topic and name in _OWN_WORDS else usual
        for name, (_, usual) in _TOPICS.items()
    }
    groups = (rf"(?P<{name}>\b(?:{pattern})\b)" for name, pattern in words.items())
    return re.compile("|".join(groups), re.IGNORECASE)


def topic(relation: str) -> str | None:
    """Return the topic of a relation: "birth" for P19 and P569; None without one."""
    return _TOPIC_OF.get(relation)


def names_topic(text: str, relation: str) -> bool:
    """Return whether a text has a word about a relation, such as "born" for P19."""
    own_topic = topic(relation)
    if words := _WORDS_OF_OTHERS.get(relation):
        return re.search(rf"\b(?:{words})\b", text, re.IGNORECASE) is not None
    return any(match.lastgroup == own_topic for match in _cue(own_topic).finditer(text))


def clauses(text: str, relation: str) -> list[tuple[int, int]]:
    """Return the parts of a text that may answer the question, by their ends, the best first.

    These are the clauses about the relation, then the beginning of the text. Clauses about other
    topics are left out. For a relation without words of its own, it is the whole text, or what
    follows a clause about a birth at the beginning.
    """
    own_topic = topic(relation)
    cues = [(match.start(), match.lastgroup) for match in _cue(own_topic).finditer(text)]
    if own_topic is None:
        birth = _BORN_FIRST.match(text)
        return [(birth.end(), len(text)), (0, len(text))] if birth else [(0, len(text))]
    if not cues:
        return [(0, len(text))]
    ends = [start for start, _ in cues[1:]] + [len(text)]
    own = [
        (start, end)
        for (start, cue_topic), end in zip(cues, ends, strict=True)
        if cue_topic == own_topic
    ]
    return [*own, (0, cues[0][0])]
