"""English for knowledge: sentences, and the two questions, from the templates of ``words.toml``."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.biokalma.lexicon import Lexicon, Wording
from kgbuild.english.templates import closed, fill

_NUMBER = re.compile(r"<([^<>|]*)\|([^<>|]*)>")
_TENSE = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")
_SEX = re.compile(r"\(([^()|]*)\|([^()|]*)\|([^()|]*)\)")
_PLACE = re.compile(r"\{\w+\}")
_COUNTED = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_SUBJECT = "{he} "
_MOST_CLAUSES = 4
"""Clauses of one sentence: a longer one is hard to take in."""
_PRONOUNS = {
    "he": {"{he}": "he", "{him}": "him", "{his}": "his"},
    "she": {"{he}": "she", "{him}": "her", "{his}": "her"},
    "it": {"{he}": "it", "{him}": "it", "{his}": "its"},
}
_SEXES = ("he", "she")


def _places(name: str) -> Mapping[str, str]:
    return {"{he}": name, "{him}": name, "{his}": f"{name}'s"}


class Subject(NamedTuple):
    """How a subject is spoken of.

    ``name`` is the label as it stands in a sentence, ``pronoun`` he, she or it, or empty where
    nobody knows: then ``brief`` is the name once it is known who is meant. ``is_past`` tells
    whether it is dead or gone, None that nobody knows.
    """

    name: str
    pronoun: str = ""
    is_past: bool | None = False
    brief: str = ""

    def again(self, is_clear: bool) -> Mapping[str, str]:
        """Return what stands in the places of a template once the subject has been named.

        ``is_clear`` tells that a pronoun can stand for nobody else.
        """
        return (is_clear and _PRONOUNS.get(self.pronoun)) or _places(self.brief or self.name)


class Predicate(NamedTuple):
    """A property with what is said of a subject by it: values as they stand in a sentence.

    ``of_people`` tells that these are people, for whom a pronoun after them might stand.
    """

    pid: str
    wording: Wording
    values: tuple[str, ...]
    of_people: bool = False


Description: TypeAlias = tuple[Subject, Sequence[Predicate]]
"""A subject with the predicates that are stated of it."""


class _Part(NamedTuple):
    """A sentence or a clause: its template, and what one property says, or two."""

    template: str
    said: tuple[Predicate, ...]

    @property
    def is_clear(self) -> bool:
        """Whether a pronoun after it stands for the subject."""
        return not any(said.of_people for said in self.said)


def paragraph(lexicon: Lexicon, about: Sequence[Description]) -> str:
    """Return a paragraph: what is said of each subject, in turn.

    It is named at the first time, and where its pronoun is not known. Two sentences that begin
    with it become one.
    """
    return " ".join(text for subject, said in about for text in _sentences(lexicon, subject, said))


def _sentences(lexicon: Lexicon, subject: Subject, said: Sequence[Predicate]) -> Iterator[str]:
    parts = _parts(said, {one.properties: one.says for one in lexicon.together if one.says}, _says)
    places: Mapping[str, str] = _places(subject.name)
    while parts:
        first = parts.pop(0)
        text = _rendered(first, subject, places)
        last = first
        if parts and _goes_on(first) and parts[0].template.startswith(_SUBJECT):
            last = parts.pop(0)
            after = last._replace(template=last.template.removeprefix(_SUBJECT))
            text = f"{text} and {_rendered(after, subject, subject.again(first.is_clear))}"
        places = subject.again(first.is_clear and last.is_clear)
        yield _capital(text) + ("" if text.endswith(".") else ".")


def specific_question(lexicon: Lexicon, opening: str, about: Sequence[Description]) -> str:
    """Return the question that asks for each piece of knowledge.

    ``opening`` is the template of its beginning, which names the two subjects.
    """
    questions = [_of_both(opening, about, {})]
    for subject, said in about:
        parts = _parts(said, {one.properties: one.asks for one in lexicon.together}, _asks)
        for start in range(0, len(parts), _MOST_CLAUSES):
            some = parts[start : start + _MOST_CLAUSES]
            named = [_places(subject.name), *(subject.again(part.is_clear) for part in some)]
            texts = [
                _rendered(part, subject, places) for part, places in zip(some, named, strict=False)
            ]
            questions.append(_capital(_listed(texts)) + "?")
    if len(questions) > 2:  # the last of several questions, as people put them
        questions[-1] = f"And {questions[-1][0].lower()}{questions[-1][1:]}"
    return " ".join(questions)


def clause(subject: Subject, said: Predicate, naming: Mapping[str, str] | None = None) -> str:
    """Return what is said of a subject by one property, without a capital and a full stop.

    ``naming`` is what stands for the subject, as ``Subject.again`` has it; its name without one.
    """
    return _rendered(_Part(_says(said), (said,)), subject, naming or _places(subject.name))


def _goes_on(part: _Part) -> bool:
    """Tell whether a sentence can go on with another: not after "Dublin, Ohio"."""
    return part.template.startswith(_SUBJECT) and not any(
        ", " in value for said in part.said for value in said.values
    )


def _says(said: Predicate) -> str:
    return said.wording.says


def _asks(said: Predicate) -> str:
    return said.wording.asks


def _parts(
    said: Sequence[Predicate],
    together: Mapping[tuple[str, str], str],
    template: Callable[[Predicate], str],
) -> list[_Part]:
    """Return the parts of what is said: one for two properties that belong together."""
    waiting = {one.pid: one for one in said}
    joined: dict[str, _Part] = {}
    for (first, second), text in together.items():
        if all(pid in waiting and len(waiting[pid].values) == 1 for pid in (first, second)):
            joined[first] = _Part(text, (waiting.pop(first), waiting.pop(second)))
    parts = []
    for one in said:
        if one.pid in joined:
            parts.append(joined[one.pid])
        elif one.pid in waiting:
            parts.append(_Part(template(one), (one,)))
    return parts


def general_question(lexicon: Lexicon, template: str, about: Sequence[Description]) -> str:
    """Return the question that names topics only, put into one of the templates of the file."""
    topics = [
        f"{subject.name}'s {_listed(names)}"
        for subject, said in about
        if (names := list(dict.fromkeys(lexicon.topics[one.wording.topic] for one in said)))
    ]
    joined = (", and " if any(" and " in text for text in topics) else " and ").join(topics)
    return _of_both(template, about, {"{topics}": joined})


def _of_both(
    template: str,
    about: Sequence[Description],
    texts: Mapping[str, str],
) -> str:
    """Return a template that names both subjects, in the past if one of them is gone."""
    (first, _), (second, _) = about
    is_past = first.is_past or second.is_past
    text = _TENSE.sub(lambda found: found[1 if is_past else 2], template)
    return filled(text, {"{subject}": first.name, "{object}": second.name, **texts}, texts)


def filled(template: str, texts: Mapping[str, str], open_: Collection[str] = ()) -> str:
    """Return a template with what belongs into its places, as far as it has them.

    A name with an addition is closed by a comma, but in places that are ``open_``: owners, lists.
    """
    return fill(
        template,
        {
            place: text if place in open_ else closed(text, template, place)
            for place, text in texts.items()
            if place in template
        },
    )


def _rendered(part: _Part, subject: Subject, naming: Mapping[str, str]) -> str:
    """Return a template with its choices made and its places filled, whatever the labels hold.

    ``naming`` is what stands for the subject.
    """
    first, second = part.said[0], part.said[-1]
    several = len(first.values) > 1
    text = _NUMBER.sub(lambda found: found[2 if several else 1], part.template)
    text = _TENSE.sub(lambda found: found[1 if subject.is_past else 2], text)
    sex = _SEXES.index(subject.pronoun) if subject.pronoun in _SEXES else 2
    text = _SEX.sub(lambda found: found[1 + sex], text)
    places = dict(naming)
    if first.wording.what:
        singular, plural = first.wording.what
        places["{what}"] = f"{_COUNTED[len(first.values)]} {plural}" if several else singular
    places |= {"{value}": _listed(first.values), "{second}": _listed(second.values)}
    lists = {"{value}": first, "{second}": second}
    open_ = {"{his}", *(place for place, said in lists.items() if len(said.values) > 1)}
    return filled(text, {place: places[place] for place in _PLACE.findall(text)}, open_)


def _listed(texts: Sequence[str]) -> str:
    """Return texts as a list.

    >>> _listed(["a"]), _listed(["a", "b"]), _listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b, and c')
    """
    if len(texts) < 3:
        return " and ".join(texts)
    return f"{', '.join(texts[:-1])}, and {texts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
