"""Replace a value of a question by another one: a date's year, a state of the US, a nationality.

What states such a value excludes others: who was born in 1990 was not born in 1988.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from kgbuild.data_files import read_toml
from kgbuild.datasets.syn_qa.hotpotqa.records import Change, Record
from kgbuild.datasets.syn_qa.hotpotqa.text import NameSpan
from kgbuild.english.articles import indefinite
from kgbuild.rows import Rejected, shuffled
from kgbuild.wikidata import MONTHS

_NATIONALITY = "nationality"
_NEAR: dict[str, dict[str, list[str]]] = {}
"""For each kind of names, what can replace a name: the next ones of its group come first."""
for _kind, _groups in read_toml("datasets/syn_qa/hotpotqa/values.toml").items():
    _NEAR[_kind] = {}
    for _group in (line.split(", ") for line in _groups.strip().split("\n")):
        for _place, _name in enumerate(_group):
            _NEAR[_kind].setdefault(_name, _group[_place + 1 :] + _group[:_place])
_MONTH = "|".join(MONTHS)
# Other years do not exclude much: somebody may also have made another film, 'the 1994 film'.
_DATE = rf"(?:\b(?:[Ii]n|[Ss]ince|(?:{_MONTH})(?: of)?) |(?:{_MONTH}) \d\d?, )([12]\d{{3}})\b"
_PATTERNS = {"year": re.compile(_DATE)} | {
    kind: re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, near))})(?![\w-])")
    for kind, near in _NEAR.items()
}
# A part of a longer name: 'North American', 'Lawrence, Kansas', 'Kansas City'
_NAME_BEFORE = re.compile(r"\W[A-Z][\w.]*,? $")
_NAME_AFTER = re.compile(r" [A-Z]")
_ARTICLE = re.compile(r"\b[Aa]n? $")
_YEARS_APART = (-3, -2, 2, 3)


def change_value(record: Record, spans: Mapping[str, Sequence[NameSpan]]) -> Change:
    """Return the change of the best value in a question.

    The passage of a title that is not in the question states it if possible: beside the title,
    somebody may answer all the same. A year tells less than a state or nationality does.
    ``spans`` are those of each supporting title.

    Raises:
        Rejected: the question has no such value.
    """
    question = record.question
    known = " ".join((question, *(passage.text.text for passage in record.supporting)))
    titles = [span for found in spans.values() for span in found]
    for passage in sorted(record.supporting, key=lambda one: bool(spans[one.title])):
        for kind, match in _values(question, has_title=bool(titles)):
            span, value = NameSpan(*match.span(1)), match[1]
            is_in_title = any(span.start < one.end and one.start < span.end for one in titles)
            others = (other for other in _near(record, kind, value) if not _count(other, known))
            other = next(others, None)
            if other and _count(value, passage.text.text) and not is_in_title:
                false_question = _with(question, span, other)
                return Change(value, other, passage, passage, false_question, kind)
    raise Rejected("no value")


def _values(question: str, has_title: bool) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the values that are in a question once, not in a longer name, with their kinds."""
    for kind, pattern in _PATTERNS.items():
        # Without a title, a nationality is most of what a question tells of something.
        if kind == _NATIONALITY and not has_title:
            continue
        for match in pattern.finditer(question):
            before, after = question[: match.start(1)], question[match.end(1) :]
            is_in_name = _NAME_AFTER.match(after) or (kind in _NEAR and _NAME_BEFORE.search(before))
            if not is_in_name and _count(match[1], question) == 1:
                yield kind, match


def _count(value: str, text: str) -> int:
    return len(re.findall(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text))


def _near(record: Record, kind: str, value: str) -> Sequence[str]:
    """Return what can replace a value, the best first."""
    if kind in _NEAR:
        return _NEAR[kind][value]
    years = [str(int(value) + apart) for apart in _YEARS_APART]
    return shuffled(years, lambda year: (record.key, year), 0)


def _with(question: str, span: NameSpan, replacement: str) -> str:
    """Return a question with a replacement at a span, after the article that it needs."""
    before, after = question[: span.start], question[span.end :]
    if article := _ARTICLE.search(before):
        with_article = indefinite(replacement)
        return f"{before[: article.start()]}{article[0][0]}{with_article[1:]}{after}"
    return f"{before}{replacement}{after}"
