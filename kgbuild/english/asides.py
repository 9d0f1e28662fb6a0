"""Remove asides from a question: what it says about its subject besides asking for something.

"Who designed the Göltzsch Viaduct, the brick bridge in Saxony?" has an aside after the comma.
"""

import re

_ENCLOSED = re.compile(r"\([^()]*\)|\s[-–—]\s[^?]*?\s[-–—]\s|\s[-–—]\s[^?]*(?=\?)")
"""Text in brackets, or between dashes."""
_AFTER_NAME = re.compile(
    r"^,\s(?:"
    r"[^,?.]+(?:,\s(?=\S)|(?=\.))"  # up to another comma
    r"|(?:the|a|an|one|who|which|with|that|of|later|now|also|born|home|despite)\b[^?]*(?=\?|$)"
    r")"
)
_BEFORE = re.compile(
    r"^(?:(?!who|what|which|where|when|whose|how|name|in wh|at wh|on wh|by wh|of wh|tell|give)"
    r"[^,?]*,\s)(?=(?:\w+\s)?(?:who|what|which|where|when|whose|whom|how)\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.?!:;]+(?:[.?!:;]+(?=\s|$)|$)")
_ASKS = re.compile(
    r"\b(?:who|what|which|where|when|whose|whom|how|name|tell|give)\b", re.IGNORECASE
)
SUBJECT = "\x1a"
"""Stands for the name of the subject."""


def without_asides(question: str) -> str:
    """Return a question, in which SUBJECT stands for a name, without what only describes it.

    Sentences that ask for nothing are left out, even if the name is in them.

    >>> without_asides(f"Who designed {SUBJECT}, the brick bridge in Saxony?") == (
    ...     f"Who designed {SUBJECT}?"
    ... )
    True
    >>> without_asides(f"I love {SUBJECT}. Who performed it?")
    'Who performed it?'
    """
    text = _ENCLOSED.sub(" ", question)
    asking = [s for s in _SENTENCE.findall(text) if _ASKS.search(s)]
    if asking:
        text = asking[-1].strip()
    before, name, after = text.partition(SUBJECT)
    if name:
        after = _AFTER_NAME.sub(" ", after)
        text = f"{before}{name}{after}"
    return " ".join(_BEFORE.sub("", text).split()).replace(" ?", "?")
