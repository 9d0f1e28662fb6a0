"""Replace a value of a question: a year, a state of the US or a nationality.

What states such a value excludes others: who was born in 1990 was not born in 1988.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kgbuild.data_files import read_toml
from kgbuild.datasets.syn_qa.hotpotqa.records import Change, Record
from kgbuild.datasets.syn_qa.hotpotqa.text import NameSpan
from kgbuild.english.articles import indefinite
from kgbuild.rows import Rejected, shuffled
from kgbuild.wikidata import MONTHS

_NEAR: dict[str, dict[str, list[str]]] = {}
"""For each kind of words, what can replace a word: the next ones of its group come first."""
for _kind, _groups in read_toml("datasets/syn_qa/hotpotqa/values.toml").items():
    _NEAR[_kind] = {}
    for _group in (line.split(", ") for line in _groups.strip().split("\n")):
        for _place, _name in enumerate(_group):
            _NEAR[_kind].setdefault(_name, _group[_place + 1 :] + _group[:_place])


class _Kind(NamedTuple):
    """A kind of values, and where a question has them.

    ``pattern`` has the groups ``value``, and ``stated``: what a passage must contain. An aside must
    be in the passage of a title that is in the question: there may be another '1994 film'.
    """

    name: str
    pattern: re.Pattern[str]
    is_aside: bool = False


def _words(kind: str, noun: str = "") -> re.Pattern[str]:
    words = "|".join(map(re.escape, _NEAR[kind]))
    return re.compile(rf"(?<![\w-])(?P<stated>(?P<value>{words}){noun})(?![\w-])")


_NOUN = r" [\w-]+"  # of the same thing: a British series is no British actor
_MONTH = "|".join(MONTHS)
_YEAR = r"(?P<stated>(?P<value>[12]\d{3}))(?![\w–-])"
_DATE = rf"(?:\b(?:[Ii]n|[Ss]ince|(?:{_MONTH})(?: of|,)?) |(?:{_MONTH}) \d\d?, ){_YEAR}"
_KINDS = (
    _Kind("year", re.compile(_DATE)),
    _Kind("state", _words("state")),
    _Kind("nationality", _words("nationality", _NOUN)),
    _Kind("year", re.compile(rf"(?<![\w–-]){_YEAR}"), is_aside=True),
)
# A part of a longer name: 'North American', 'Lawrence, Kansas', 'Expo 1967', 'Kansas City'
_NAME_BEFORE = re.compile(rf"\W(?!(?:In|Since|{_MONTH})\b)[A-Z][\w.]*,? $")
_NAME_AFTER = re.compile(r" [A-Z]")
_NAME_WORD = re.compile(r"\b(?!(?:The|An?)\b)[A-Z\d]\w*")
_ARTICLE = re.compile(r"\b[Aa]n? $")
_YEARS_APART = (-3, -2, 2, 3)


def change_value(record: Record, spans: Mapping[str, Sequence[NameSpan]]) -> Change:
    """Return the change of the best value in a question.

    The passage of a title that is not in the question states it if possible: beside the title,
    somebody may answer all the same. ``spans`` are those of each supporting title.

    Raises:
        Rejected: the question has no such value.
    """
    known = " ".join((record.question, *(passage.text.text for passage in record.supporting)))
    for passage in sorted(record.supporting, key=lambda one: bool(spans[one.title])):
        for kind, match in _values(record, spans):
            others = _near(record, kind.name, match["value"])
            other = next((other for other in others if not _count(other, known)), None)
            may_state = spans[passage.title] or not kind.is_aside
            if other and may_state and _count(match["stated"], passage.text.text):
                false_question = _with(record.question, match.span("value"), other)
                return Change(match["value"], other, passage, passage, false_question, kind.name)
    raise Rejected("no value")


def _values(
    record: Record, spans: Mapping[str, Sequence[NameSpan]]
) -> Iterator[tuple[_Kind, re.Match[str]]]:
    """Yield the values that are in a question once, not in a longer name, with their kinds.

    Without a word of a title beside it, a question describes something, and there may be another.
    """
    titles = [span for found in spans.values() for span in found]
    names = {word for passage in record.supporting for word in _NAME_WORD.findall(passage.name)}
    for kind in _KINDS:
        for match in kind.pattern.finditer(record.question):
            start, end = match.span("value")
            before, after = record.question[:start], record.question[end:]
            is_in_name = (
                any(start < title.end and title.start < end for title in titles)
                or _NAME_AFTER.match(after)
                or _NAME_BEFORE.search(before)
            )
            has_name = not names.isdisjoint(_NAME_WORD.findall(f"{before} {after}"))
            if has_name and not is_in_name and _count(match["value"], record.question) == 1:
                yield kind, match


def _count(value: str, text: str) -> int:
    return len(re.findall(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text))


def _near(record: Record, kind: str, value: str) -> Sequence[str]:
    """Return what can replace a value, the best first."""
    if kind in _NEAR:
        return _NEAR[kind][value]
    years = [str(int(value) + apart) for apart in _YEARS_APART]
    return shuffled(years, lambda year: (record.key, year), 0)


def _with(question: str, span: tuple[int, int], replacement: str) -> str:
    """Return a question with a replacement at a span, after the article that it needs."""
    before, after = question[: span[0]], question[span[1] :]
    if article := _ARTICLE.search(before):
        with_article = indefinite(replacement)
        return f"{before[: article.start()]}{article[0][0]}{with_article[1:]}{after}"
    return f"{before}{replacement}{after}"
