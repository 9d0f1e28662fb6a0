"""What to keep of a dump, decided line by line from a line's text alone.

A truthy dump is mostly noise for our purposes: each label three times and in hundreds of
languages, external ids and their links, files, metadata. One regular expression names, for
each line of a block, the reason to keep or to drop it. Only kept lines are parsed later, so
here a line need only look like a triple to be counted as dropped rather than as bad.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from kgbuild.kg import wikidata

REASONS = {
    "other_language": "labels and texts in other languages",
    "repeated_label": "repetitions of labels (skos:prefLabel, schema:name)",
    "string": "external ids and other plain strings",
    "normalized": "external ids as links (wdtn)",
    "link": "files, web links, lexemes",
    "other_value": "values of other types (geoshapes, formulas, …)",
    "type": "entity types (rdf:type)",
    "page": "data pages (Special:EntityData)",
    "blank_subject": "metadata of properties (blank subjects)",
    "metadata": "other metadata",
    "not_triple": "empty lines and comments",
}
"""Why a line is dropped: the reason's name and what a reader is told."""


@dataclass
class Sliced:
    """The outcome for one block: kept lines with their numbers, bad lines, dropped ones counted."""

    kept: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    bad: list[tuple[int, bytes]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


class Filter:
    """Decides what of a dump is kept.

    ``languages`` are the codes of the languages to keep; ``mul`` (for all languages) and the
    regional forms (``en-gb`` for ``en``) come along. With ``everything``, nothing is dropped.
    """

    def __init__(self, languages: Sequence[str] = ("en",), everything: bool = False):
        self.languages = tuple(languages)
        self.everything = everything
        self._line = re.compile(_EVERYTHING if everything else _pattern(self.languages))

    def slice(self, text: bytes, first: int) -> Sliced:
        """Sort out the lines of a block, the first of which has the number ``first``."""
        sliced = Sliced()
        reasons: list[str] = []
        for number, match in enumerate(self._line.finditer(text), first):
            reason = match.lastgroup
            if reason == "keep":
                sliced.kept.append(match[0])
                sliced.numbers.append(number)
            elif reason == "bad":
                sliced.bad.append((number, match[0].rstrip(b"\r\n")))
            else:
                reasons.append(reason or "")
        sliced.dropped.update(reasons)
        return sliced


def _pattern(languages: Sequence[str]) -> bytes:
    """Return the expression whose one named group that matches is the verdict on a line.

    The alternatives are ordered: the first that matches decides.
    """
    codes = "|".join(re.escape(code) + r"(?:-[A-Za-z0-9-]+)?" for code in languages)
    text = rf'"[^\n]*"@(?:{codes}|mul)'
    entity = rf"<{re.escape(wikidata.ENTITY)}[QP]{wikidata.NUMBER}>"
    claim = rf"<{re.escape(wikidata.DIRECT)}P{wikidata.NUMBER}>"
    no_value = rf"<{re.escape(wikidata.NO_VALUE)}P{wikidata.NUMBER}>"
    named = "|".join(map(re.escape, (wikidata.LABEL, wikidata.ALIAS, wikidata.DESCRIPTION)))
    repeated = "|".join(map(re.escape, wikidata.REPEATED_LABELS))
    unknown = rf"_:[^\s<>]+|<{re.escape(wikidata.UNKNOWN_VALUE)}[^>\n]*>"
    types = "|".join(
        map(re.escape, (f"{wikidata.XSD}dateTime", f"{wikidata.XSD}decimal", wikidata.WKT))
    )
    data = rf'"[^\n]*"\^\^<(?:{types})>'
    return _alternatives(
        keep="|".join(
            (
                rf"{entity} {claim} (?:{entity}|{text}|{data}|{unknown})",
                rf"{entity} <(?:{named})> {text}",
                rf"{entity} <{re.escape(wikidata.SAME_AS)}> {entity}",
                rf"{entity} <{re.escape(wikidata.TYPE)}> {no_value}",
            )
        ),
        repeated_label=rf'{entity} <(?:{repeated})> "[^\n]*"@[\w-]+',
        other_language=rf'{entity} (?:{claim}|<(?:{named})>) "[^\n]*"@[\w-]+',
        string=rf'{entity} {claim} "[^\n]*"',
        normalized=rf"{entity} <{re.escape(wikidata.NORMALIZED)}P\d+> [^\n]+",
        link=rf"{entity} {claim} <[^\n]*>",
        other_value=rf'{entity} {claim} "[^\n]*"\^\^<[^<>\n]*>',
        type=rf"{entity} <{re.escape(wikidata.TYPE)}> <[^\n]*>",
        page=rf"<{re.escape(wikidata.ENTITY_PAGE)}[^>\n]*> <[^>\n]*> [^\n]+",
        blank_subject=r"_:[^\s]+ <[^>\n]*> [^\n]+",
        metadata=r"<[^>\n]*> <[^>\n]*> [^\n]+",
    )


def _alternatives(**verdicts: str) -> bytes:
    groups = [
        rf"(?P<{verdict}>[ \t]*+(?:{pattern.replace(' ', _SPACE)}){_END})"
        for verdict, pattern in verdicts.items()
    ]
    groups += [r"(?P<not_triple>[ \t]*(?:#[^\n]*)?\r?\n)", r"(?P<bad>[^\n]*\n)"]
    return "|".join(groups).encode()


# A run of spaces is taken whole or not at all: else a long one, tried in all its parts, would
# hold up a load for hours.
_SPACE = r"[ \t]++"
_END = r"(?<![ \t])[ \t]*\.[ \t]*(?:#[^\n]*)?\r?\n"
_EVERYTHING = _alternatives(keep=r"(?:<|_:)[^\n]*")
