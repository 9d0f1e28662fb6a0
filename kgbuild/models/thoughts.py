"""Separate the answer of a model from the reasoning ("thoughts") that it writes before.

Models mark reasoning in many ways, such as ``<think>…</think>``. Servers leave the marks in the
text of a reply unless they are configured to parse them. Sources: the chat templates of the
models, and the documentation of the reasoning parsers of vLLM and llama.cpp.
"""

import re
from typing import NamedTuple

_TAGS = r"think|thinking|thoughts?|reasoning|reflection|analysis|seed:think"
"""Names of XML-like tags around reasoning."""
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
"""A mark that opens or closes reasoning, or other markup (noise), which is removed."""
_STARTS = ("<", "[T", "[t", "[/", "◁", "analysis", "assistantfinal")
"""The beginnings of all marks. Most texts contain none, so this test is fast."""


class ThoughtParts(NamedTuple):
    """The ``spoken`` part of a text; ``is_open`` is whether its reasoning never ends."""

    spoken: str
    is_open: bool


def separate(text: str) -> ThoughtParts:
    """Return a text without the reasoning in ``<think>``, ``[THINK]``, channels or other marks.

    Reasoning without a closing mark reaches to the end of the text, as the reply was cut. Text
    before a closing mark without an opening one is reasoning, too, since many chat templates put
    the opening mark into the prompt.

    >>> separate("<think>Yes? No.</think>No.")
    ThoughtParts(spoken='No.', is_open=False)
    """
    if not any(map(text.__contains__, _STARTS)):
        return ThoughtParts(text, False)
    spoken: list[str] = []
    is_open, position = False, 0
    for mark in _MARK.finditer(text):
        if mark.lastgroup == "noise" and is_open:
            continue
        if not is_open:
            spoken.append(text[position : mark.start()])
        if mark.lastgroup == "close" and not is_open:
            spoken.clear()
        is_open = mark.lastgroup == "open" or (is_open and mark.lastgroup == "noise")
        position = mark.end()
    if not is_open:
        spoken.append(text[position:])
    return ThoughtParts("".join(spoken), is_open)
