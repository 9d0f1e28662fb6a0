"""The other forms of one name: shorter, in another order, or spelled otherwise."""

import functools
import re
from collections.abc import Iterator, Sequence, Set

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola import foreign_names
from kgbuild.datasets.granola.class_names import plural, synonyms
from kgbuild.datasets.granola.gazetteer import place_name
from kgbuild.datasets.granola.institution_names import short_names
from kgbuild.datasets.granola.kind_words import two_initials, without_other_kinds
from kgbuild.datasets.granola.number_words import in_other_figures
from kgbuild.datasets.granola.regions import bare_name, regions
from kgbuild.datasets.granola.reply_words import (
    NUMERAL,
    SUFFIXES,
    with_and,
    without_hyphens,
    without_variants,
)
from kgbuild.datasets.granola.school_parts import names_of_parts
from kgbuild.datasets.granola.spellings import NOT_IN_ANY_ORDER
from kgbuild.datasets.granola.truths import TrueAnswer
from kgbuild.english.dates import ORDINALS
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.wikidata import ordinal

TYPES = {
    *("university", "college", "school", "records", "recordings", "county"),
    "municipality",
    *("company", "corporation", "corp", "inc", "ltd", "llc", "limited", "plc", "gmbh", "ag"),
}
"""Last words of names that people leave out: "Juilliard", "Jive"."""
_AREAS = {
    "province",
    "county",
    "district",
    "canton",
    "region",
    "prefecture",
    "department",
    "oblast",
}
"""Kinds of areas that stand before or after the name."""
_STATE = "state of "
_IN_REGION = re.compile(r"(?P<town>\w+) (?:in|im|i\. ?d\.) (?P<region>[A-Z]\w[\w-]+)")
"""The name of a town with that of its region: "Weißenburg in Bayern"."""
_NUMBERED = re.compile(r"(?P<number>\d{1,2})(?:st|nd|rd|th) (?P<kind>\w+) of (?P<town>\w[\w ]*)")
"""A part of a town by its number: "6th arrondissement of Paris"."""
_AREA = "P131"
"""The relation that asks for an area, which people call without its kind: "Varese"."""
_SCHOOL = "P69"
_WITH_INITIAL = re.compile(r"[A-Z]\w+ (?:[A-Z]\. )+(?P<rest>.+ .+)")
"""The name of a school with that of a person: "Fiorello H. LaGuardia High School"."""
_TITLED = {"P800"}
"""The relation whose answers are works, which may have a subtitle."""
_SUBTITLE = re.compile(r": | – | with (?=[A-Z])|,? or:? (?=\(?[A-Z])")
_SMALL_WORDS = frozenset(read_toml("granola", "reply_words")["titles"]["small"])
_NOBLE = frozenset(read_toml("granola", "reply_words")["titles"]["noble"])
_LEAST_TITLE = 2
"""The least number of words by which people call a work with a longer title."""
_CHILD = "P40"
"""The relation whose answers people call by their first names: "Wyatt and Dimitri"."""
_PREPOSITIONS = {"of", "at", "in", "for", "de", "di", "des", "du", "der", "della"}
_CACHE_SIZE = 1 << 16
"""Maximum number of names whose forms are kept: many questions have the same coarser answers."""
_LEAST_SURNAME = 4
"""The least number of letters of the surname of a person who is called by one name."""
_MOST_INITIALS = 4
"""The greatest number of initials before the name of a club: "AFC Ajax"."""
_LEAST_INITIALS = 3
"""The least number of initials by which people call a thing; two have too many meanings."""


def nicknames(name: str) -> Iterator[str]:
    """Yield the names by which people call a place: "Cali" for California."""
    yield from map(normalise, read_toml("granola", "reply_words")["nicknames"].get(name, ()))


def forms_of_person(
    name: str, answer: TrueAnswer, relation: str, question: Set[str]
) -> Iterator[str]:
    """Yield the short names of a person; of a child, also the first name."""
    if is_spaced(name, answer.text):
        return  # "Kim Jong" is not Kim Jong-il
    yield from _of_person(name, name == answer.text, question)
    yield from _surname_of_mononym(name, answer.text, question)
    if relation == _CHILD and name == answer.text:
        yield normalise(name).split(" ")[0]


def _surname_of_mononym(name: str, text: str, question: Set[str]) -> Iterator[str]:
    """Yield "bonaparte" of "Napoleon Bonaparte", a name of a person who is called by the first."""
    words, usual = name.split(), normalise(text)
    is_full = len(words) > 1 and " " not in usual and normalise(words[0]) == usual
    if not is_full or {"of", "the"} & {*words}:
        return
    last = normalise(words[-1])
    is_surname = words[-1][:1].isupper() and len(last) >= _LEAST_SURNAME
    if is_surname and last not in question and not NUMERAL.fullmatch(last):
        yield last


def forms_of_thing(name: str, types: Set[str], relation: str) -> Iterator[str]:
    """Yield other names of a thing, and the name of an area without its kind."""
    yield from _of_thing(name, types)
    yield from without_other_kinds(name, relation)
    yield from two_initials(name, relation)
    if relation != _SCHOOL:
        yield from _with_region(name)
    if relation == _AREA:
        yield bare_name(name)
        yield normalise(without_hyphens(name, " and "))
        yield bare_name(without_hyphens(name, " and "))
    elif relation == _SCHOOL:
        yield from short_names(name)
        yield from names_of_parts(name)
        if full := _WITH_INITIAL.fullmatch(name):
            yield normalise(full["rest"])
    elif relation in _TITLED:
        yield from _without_subtitle(name)
        yield from _without_first_words(name)


def _with_region(name: str) -> Iterator[str]:
    """Yield "weissenburg bavaria", as of "Weissenburg, Bavaria", for "Weißenburg in Bayern"."""
    if match := _IN_REGION.fullmatch(name):
        region = foreign_names.in_english(match["region"])
        if region != match["region"] or normalise(region) in regions():
            yield normalise(f"{match['town']} {match['region']}")
            yield normalise(f"{match['town']} {region}")


def _without_subtitle(name: str) -> Iterator[str]:
    """Yield "Life Aquatic" for "The Life Aquatic with Steve Zissou"; one word says too little.

    Initials of the subtitle say enough: "CSI: Crime Scene Investigation".
    """
    title, *subtitles = _SUBTITLE.split(name, maxsplit=1)
    if subtitles and title.isupper() and title == "".join(w[0] for w in subtitles[0].split()):
        yield normalise(title)
    if title != name and " " in title.removeprefix("The "):
        yield normalise(title)


def _without_first_words(name: str) -> Iterator[str]:
    """Yield "Spinal Tap" for "This Is Spinal Tap", if two words remain."""
    words = normalise(name).split()
    first = next((n for n, word in enumerate(words) if word not in _SMALL_WORDS), len(words))
    if first and len(words) - first >= _LEAST_TITLE:
        yield " ".join(words[first:])


def is_spaced(name: str, text: str) -> bool:
    """Return whether a name is a name that ends with a hyphen, written as one word more.

    "Kim Jong Il" is so, also spelled "Kim Chong Il".
    """
    parts, words = text.split(), name.split()
    is_longer = "-" not in name and len(words) == len(parts) + 1
    if not is_longer or len(parts) == 1 or "-" not in parts[-1]:
        return False
    return normalise(words[0]) == normalise(parts[0])


@functools.lru_cache(maxsize=_CACHE_SIZE)
def forms_of_coarser(name: str) -> Sequence[str]:
    """Return other orders of the words of a coarser answer, and the plain name of a place.

    "A Clint Eastwood film" is "a film by Clint Eastwood".
    """
    work, by, maker = name.partition(" by ")
    by_maker = [f"{normalise(maker)} {normalise(work)}", *_of_maker(work, maker)] if by else []
    return *_of_state(name), place_name(name), *by_maker


def _of_maker(work: str, maker: str) -> Iterator[str]:
    """Yield "tarantinos films" and "tarantino film" for a film by Quentin Tarantino."""
    *_, last = normalise(maker).split()
    if len(last) >= _LEAST_SURNAME:
        for owner in (last, normalise(maker)):
            for noun in synonyms(normalise(work)):
                yield from (f"{owner}s {noun}", f"{owner}s {plural(noun)}", f"{owner} {noun}")


def _of_state(name: str) -> Iterator[str]:
    """Yield "New York State" for "State of New York"."""
    full = normalise(name)
    if full.startswith(_STATE):
        yield f"{full.removeprefix(_STATE)} state"


def _of_numbered(name: str) -> Iterator[str]:
    """Yield "sixth arrondissement" and "paris 6e" for "6th arrondissement of Paris"."""
    if part := _NUMBERED.fullmatch(name.removeprefix("the ")):
        kind, town = normalise(part["kind"]), normalise(part["town"])
        number = int(part["number"])
        for form in (ordinal(number), f"{number}e", *ORDINALS[number - 1 : number]):
            yield from (f"{form} {kind}", f"{form} {kind} of {town}", f"{town} {form}")
            yield f"{town} {form} {kind}"


def _with_other_order(name: str) -> Iterator[str]:
    """Yield "province of lodi" for "Province Lodi" and "Lodi Province", and the reverse."""
    first, *others = normalise(name).split() or [""]
    *parts, last = [first, *others]
    if first in _AREAS and others[:1] == ["of"]:
        yield " ".join([*others[1:], first])
        yield " ".join([first, *others[1:]])
    elif last in _AREAS and parts:
        yield " ".join([last, "of", *parts])
        yield " ".join([*parts, "region"])


@functools.lru_cache(maxsize=_CACHE_SIZE)
def spellings_of(name: str) -> Sequence[str]:
    """Return the different spellings of a name, as ``_all_spellings`` yields them."""
    return [*dict.fromkeys(_all_spellings(name))]


def _all_spellings(name: str) -> Iterator[str]:
    """Yield "david ben gurion" for "David Ben-Gurion", and "dfw metroplex" for its long name."""
    yield from _with_other_order(name)
    yield without_variants(normalise(with_and(name)))
    if " " in name:
        yield from in_other_figures(without_variants(normalise(with_and(name))))
    plain = without_hyphens(name.removeprefix("the "))
    yield without_variants(normalise(plain))
    words = plain.split()
    capitals = [word for word in words if word[0].isupper()]
    if len(capitals) >= _LEAST_INITIALS and words[0][0].isupper():
        kind = words[-1:] if words[-1].islower() else []
        yield " ".join(["".join(word[0] for word in capitals), *kind]).lower()


def _of_thing(name: str, types: Set[str]) -> Iterator[str]:
    """Yield other names of a place, school or company.

    They are "Juilliard" for "Juilliard School", "Louis-le-Grand" for "Lycée Louis-le-Grand" since
    it is a lycée by the classes in ``types``, "Barcelona" for the club "FC Barcelona",
    "LA" for "LA, California", and "University of
    California at Davis" for "University of California, Davis".
    """
    yield from _of_state(name)
    yield from _of_numbered(name)
    *parts, last = normalise(name).split() or [""]
    if parts and last in types and parts[0] not in types:
        yield " ".join(parts)
    initials, _, rest = name.partition(" ")
    if "club" in types and initials.isupper() and 1 < len(initials) <= _MOST_INITIALS and rest:
        yield normalise(rest)
    first, *others = normalise(without_hyphens(name)).split() or [""]
    if first in types and len(others) > 1 and others[0] not in _PREPOSITIONS:
        yield " ".join(others)
    if parts and last in NOT_IN_ANY_ORDER:
        pass
    elif parts[:2] == ["university", "of"] and last not in types:
        yield " ".join([*parts[2:], last, "university"])
        yield " ".join([*parts[2:], last])
    elif parts and last == "university" and parts[0] not in types | NOT_IN_ANY_ORDER:
        yield " ".join(["university", "of", *parts])
    head, comma, tail = name.partition(",")
    if comma:
        yield normalise(head)
        yield normalise(f"{head} at {tail}")


def _of_noble(name: str) -> Iterator[str]:
    """Yield "princess helena" for "Princess Helena of the United Kingdom", without the realm.

    Of "Charles Ferdinand, Prince of Capua", the title is left out. A first name alone says too
    little.
    """
    person, of, _ = name.partition(" of ")
    named, comma, title = name.partition(", ")
    is_title = bool(comma) and " of " in title and normalise(title.split()[0]) in _NOBLE
    if is_title:
        person = named
    elif not of or "," in person:
        return
    first, *others = normalise(person).split() or [""]
    if others:
        yield " ".join([first, *others])
    if len(others) > 1 and first in _NOBLE:
        yield " ".join(others)


def _of_person(name: str, is_text: bool, question: Set[str]) -> Iterator[str]:
    """Yield "Jackie Kennedy" for "Jackie Kennedy Onassis", and the surname of the usual name.

    "Oscar II" is "Oscar II of Sweden".

    The surname is left out if the question contains it, as the child of Will Smith is no "Smith":
    then it is the first name.
    """
    reigning, of, _ = normalise(name).partition(" of ")
    if of and NUMERAL.search(reigning):
        yield reigning
    yield from _of_noble(name)
    *parts, last = normalise(name).split() or [""]
    if not parts or "of" in parts or SUFFIXES & {*parts, last}:
        return
    yield f"{parts[0]} {last}"
    if len(parts) > 1:
        yield f"{parts[0]} {parts[-1]}"
    short = parts[0] if last in question else last
    if is_text and short not in question:
        yield short
