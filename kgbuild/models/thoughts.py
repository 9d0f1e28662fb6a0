"""Separate what a model says from the thoughts that it writes before.

Models mark thoughts in many ways, and servers leave the marks in the text of a reply unless they
are told to parse them. Sources: the chat templates of the models, and the documentation of vLLM's
and llama.cpp's parsers of reasoning.
"""

import re
from typing import NamedTuple

_TAGS = r"think|thinking|thoughts?|reasoning|reflection|analysis|seed:think"
_MARK = re.compile(
    rf"""
    (?P<open>
        <(?:{_TAGS})> | \[THINK\] | ◁think▷ | <\|begin_of_thought\|> | <\|START_THINKING\|>
        | <\|inner_prefix\|> | <\|channel\|>\s*(?:analysis|commentary)\b[^<]*<\|message\|>
        | (?-i:\A\s*analysis(?=[A-Z]))
    )
    | (?P<close>
        </(?:{_TAGS})> | \[/THINK\] | ◁/think▷ | <\|end_of_thought\|> | <\|END_THINKING\|>
        | <\|inner_suffix\|> | <\|channel\|>\s*final\b[^<]*<\|message\|>
        | (?-i:assistantfinal)
    )
    | (?P<noise>
        <\|(?:end|return|start|message|START_RESPONSE|END_RESPONSE
            |begin_of_solution|end_of_solution)\|>(?:assistant)?
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)

_STARTS = ("<", "[", "◁", "analysis", "assistantfinal")
"""The beginnings of marks: most texts have none."""


class Parts(NamedTuple):
    """The ``spoken`` part of a text; ``is_open`` if a thought was begun and never ended."""

    spoken: str
    is_open: bool


def separate(text: str) -> Parts:
    """Return the text without thoughts in ``<think>``, ``[THINK]``, channels or other marks.

    A thought that never ends reaches to the end of the text: its limit of tokens cut it. What
    stands before an end without a beginning is a thought, too, since many chat templates write the
    beginning themselves.

    >>> separate("<think>Yes? No.</think>No.")
    Parts(spoken='No.', is_open=False)
    """
    if not any(start in text for start in _STARTS):
        return Parts(text, False)
    spoken: list[str] = []
    is_open, place = False, 0
    for mark in _MARK.finditer(text):
        if mark.lastgroup == "noise" and is_open:
            continue
        if not is_open:
            spoken.append(text[place : mark.start()])
        if mark.lastgroup == "close" and not is_open:
            spoken.clear()
        is_open = mark.lastgroup == "open" or (is_open and mark.lastgroup == "noise")
        place = mark.end()
    if not is_open:
        spoken.append(text[place:])
    return Parts("".join(spoken), is_open)
