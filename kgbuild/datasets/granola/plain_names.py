"""Tell names that English texts print from others, and names that say what is meant."""

import re
from collections.abc import Callable, Iterator, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.usual_names import is_always_full
from kgbuild.english.normalize import fold
from kgbuild.text.names import short_forms

_ODD_LETTERS = re.compile("[İıƏəŞşĢģ]")
"""Letters that English texts replace in most names: "Ilham Aliyev"."""
_DOUBLED = re.compile(r"(\w)\1")
CLUB = re.compile(
    r"\b(?:[A-Z]\.? ?){2,4}(?:$| )|\b(?:Club\w*|United|City|Town|Rovers|Wanderers|Athletic|Sporting"
    r"|Racing|Real|team)\b|(?:ball|hockey|rugby|cricket)\b"
)
"""What says that a name is that of a club or a team."""
_BARE_RULER = re.compile(r"^[^\W\d_][\w'’-]+ (?:[IVX]{2,}|[IV])$")
_RULER_OF = re.compile(r"^[^\W\d_][\w'’-]+ of (?P<country>.+)$")
_RULES = r"\b(?:emir|emperor|empress|king|monarch|queen|ruler|sultan) of (?:the )?"
_INITIAL = re.compile(r"^\w\.$")
_RARE = 2
"""The greatest number of people with a first name that may be misspelt."""
_MIDDLE = 1
"""The position of a middle initial."""
_FULL_NAME = 3
"""The least number of words of a name that is longer than the usual one."""
_SCHOOL = re.compile(
    r"^(?P<name>.+?)(?: (?:City|Community|State))? (?:College|High School|School)$"
)
_WORDS = read_toml("granola", "namesakes")
_GENERIC, _ORDINARY = frozenset(_WORDS["generic"]), frozenset(_WORDS["ordinary"])
_BARE = frozenset(_WORDS["bare"])
_SUBJECTS = re.compile(_WORDS["subjects"])
_SUFFIXES, _FOREIGN = frozenset(_WORDS["suffixes"]), frozenset(_WORDS["foreign"])
_FOREIGN_ENDS = re.compile(_WORDS["foreign_ends"])
_FOREIGN_AFTER = frozenset(_WORDS["foreign_after"])
_FOREIGN_SMALL, _ENGLISH = frozenset(_WORDS["foreign_small"]), frozenset(_WORDS["english"])
_FRENCH_HEADS = {"Institut", "École", "Ecole", "Société", "Centre", "Office", "Conservatoire"}
"""Words with which English names begin, too: "Institut Le Rosey", "Centre Pompidou"."""
_ELIDED = ("d'", "d’", "l'", "l’")
_AFTER_COMMA = ", Inc."
_FOUNDATION_YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def is_unusual(label: str, aliases: Sequence[str], count: Callable[[str], int]) -> bool:
    """Return whether English texts call a person otherwise, or spell the name otherwise.

    A nickname stands between quotation marks. Of "John Frederick William Herschel" the first and
    the last name are an alias, of "Edward Higgins White" a nickname and the last name; of "Darryl
    Hannah" an alias has another spelling of the first name.
    ``count`` returns how many people have a first name.

    >>> is_unusual("Darryl Hannah", ["Daryl Christine Hannah"], {"darryl": 1, "daryl": 4}.get)
    True
    """
    first, *others = label.split() or [""]
    if _ODD_LETTERS.search(label) or '"' in label or label.count(",") > 1:
        return True
    if others and first in read_toml("granola", "namesakes")["unnamed"]:
        return True
    if not others or "," in label or first == "The":
        return False
    initials = [n for n, word in enumerate((first, *others)) if _INITIAL.match(word)]
    # Several initials tell George H. W. Bush from his son.
    is_full = len(others) + 1 >= _FULL_NAME and initials in ([], [_MIDDLE])
    is_full = is_full and not is_always_full(label)
    if is_full and any(name in aliases for name in _short_names(first, others[-1])):
        return True
    spellings = (_respelt(fold(first), fold(others[-1]), fold(alias).split()) for alias in aliases)
    return any(
        spelling and count(fold(first)) <= max(_RARE, count(spelling)) for spelling in spellings
    )


def _short_names(first: str, last: str) -> Iterator[str]:
    """Yield a first name, and its short forms, with a last name: "Ed White" for Edward White."""
    yield f"{first} {last}"
    for short in short_forms().get(fold(first), ()):
        yield f"{short.capitalize()} {last}"


def is_unusual_institution(label: str) -> bool:
    """Return whether English texts call an institution or a team otherwise.

    They translate the name, or leave out its legal form or the year of its foundation.

    >>> [*map(is_unusual_institution, ["Gap, Inc.", "Apple Inc.", "Universidad Central"])]
    [True, False, True]
    """
    first, *others = label.split() or [""]
    last = others[-1] if others else ""
    is_formal = last in _SUFFIXES or label.endswith(_AFTER_COMMA)
    words = {word.strip(",.") for word in label.replace("-", " ").split()}
    is_foreign = first in _FRENCH_HEADS and others[:1] != [] and _is_foreign_word(others[0])
    is_foreign |= not _FOREIGN.isdisjoint(words) or bool(_FOREIGN_ENDS.search(label))
    return is_formal or is_foreign or bool(_FOUNDATION_YEAR.fullmatch(last))


def is_in_other_language(label: str) -> bool:
    """Return whether a name of several words has small words of another language, and no English.

    >>> [*map(is_in_other_language, ["Guardia de Asalto", "Banco de Chile Foundation", "El Papus"])]
    [True, False, True]
    """
    words = {word.casefold() for word in label.replace("-", " ").split()}
    return len(words) > 1 and not words.isdisjoint(_FOREIGN_SMALL) and words.isdisjoint(_ENGLISH)


def _is_foreign_word(word: str) -> bool:
    """Return whether a word after "Institut" shows that a name is not English."""
    return word.casefold() in _FOREIGN_AFTER or word.startswith(_ELIDED)


def is_bare_ruler(label: str) -> bool:
    """Return whether a name is a first name with a number, without a country: "Louis V"."""
    return bool(_BARE_RULER.match(label))


def ruled_country(label: str, description: str) -> str:
    """Return the country of somebody with a first name who rules it; empty if it is none.

    >>> ruled_country("Khalid of Saudi Arabia", "King of Saudi Arabia (1913-1982)")
    'Saudi Arabia'
    >>> ruled_country("Anne of Denmark", "Queen of Scotland, England and Ireland")
    ''
    """
    match = _RULER_OF.match(label)
    country = match["country"] if match else ""
    is_ruled = country and re.search(f"{_RULES}{re.escape(country)}\\b", description, re.IGNORECASE)
    return country if is_ruled else ""


def _respelt(first: str, last: str, alias: Sequence[str]) -> str:
    """Return the first name with other double letters in an alias with the last name, or ""."""
    if len(alias) < 2 or alias[-1] != last or alias[0] == first:
        return ""
    single = [_DOUBLED.sub(r"\1", name) for name in (first, alias[0])]
    return alias[0] if single[0] == single[1] else ""


def school_name(label: str) -> str:
    """Return the name of a school without its kind, which others may have; empty if it is none.

    >>> school_name("Wellington College"), school_name("Middlesex Community College")
    ('Wellington', 'Middlesex')
    """
    match = _SCHOOL.match(label)
    return match["name"] if match else ""


def is_generic(label: str) -> bool:
    """Return whether institutions of many countries have a name: "Department of Defense"."""
    words = [word.casefold() for word in _WORD.findall(_SUBJECTS.sub("", label))]
    return _GENERIC.issuperset(words) if len(words) > 1 else _ORDINARY.issuperset(words)


def says_little(phrase: str) -> bool:
    """Return whether a phrase says nothing of an institution but its nationality.

    >>> [*map(says_little, ["the German company", "the company", "the German film company"])]
    [True, True, False]
    """
    article, *peoples, noun = phrase.split() or [""] * 2
    return noun in _BARE and article == "the" and all(map(str.istitle, peoples))
