"""Put labels into the templates of questions."""

import re
from collections.abc import Mapping

from kgbuild.data_files import read_toml

_HEADS = read_toml("english/plurals.toml")["heads"]
_QUOTED = re.compile(r'"[^"]*"')
_PLURAL = re.compile(
    r"^the (?!.* of ).*\b(?:Alps|Archives|Forces|Fusiliers|Guards|Hills|Islands|Isles|Keys"
    r"|Mountains|Pioneers|Powers|nations)$|^the Armed Forces\b"
    rf"|^the (?:(?!of |for )\S+ )*(?:{'|'.join(_HEADS)}) (?:of|for)\b"
)
_LIST = re.compile(r", (?:(?! of )[^,])+ (?:and|et|y|i|e|und) ")
"""The end of a list in a name: "the School of Arts, Design and Architecture"."""
_IS = re.compile(r"\b(is|was) (?=\{)")
_TENSE = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")


def closed(phrase: str, template: str, place: str) -> str:
    """Return a phrase with the comma that closes an addition, if the sentence goes on.

    Commas in a title, and in a list that ends with "and" or "&", begin no addition.

    >>> closed("Washington, D.C.", "How long did {subject} live in {object} then?", "{object}")
    'Washington, D.C.,'
    >>> closed("Blood, Sweat & Tears", "Where did {subject} form?", "{subject}")
    'Blood, Sweat & Tears'
    """
    name = _QUOTED.sub("", phrase)
    has_addition = ", " in name and " & " not in name and not _LIST.search(name)
    return f"{phrase}," if has_addition and goes_on(template, place) else phrase


def goes_on(template: str, place: str) -> bool:
    """Return whether words follow a placeholder."""
    return template.partition(place)[2][:1] == " "


def agreeing(template: str, phrase: str, *, are_many: bool = False) -> str:
    """Return a template whose verb before the placeholder has the number of a phrase.

    ``are_many`` is whether the phrase names several people: "the Utah Jazz".

    >>> agreeing("Where is {subject} located?", "the Tokara Islands")
    'Where are {subject} located?'
    >>> agreeing("When was {subject} founded?", "the Centers for Disease Control")
    'When were {subject} founded?'
    """
    if not are_many and not _PLURAL.search(phrase):
        return template
    return _IS.sub(lambda match: "are " if match[1] == "is" else "were ", template)


def in_tense(template: str, is_past: bool) -> str:
    """Return a template without choices of tense, which are [past|present].

    >>> in_tense("Who [owned|owns] {subject}?", is_past=True)
    'Who owned {subject}?'
    """
    return _TENSE.sub(lambda match: match[1 if is_past else 2], template)


def fill(template: str, words: Mapping[str, str]) -> str:
    """Return a template with its placeholders replaced, whatever the labels hold.

    A sentence ends with one period, also after "Jr."

    >>> fill("When did {subject} marry {object}?", {"{subject}": "{object}", "{object}": "B"})
    'When did {object} marry B?'
    """
    for place in sorted(words, key=template.index, reverse=True):  # what was put in lies behind
        before, _, after = template.partition(place)
        word = words[place]
        template = before + (word.removesuffix(".") if after == "." else word) + after
    return template
