"""Name institutions as English texts do: Apple Records, the office of Prime Minister of India."""

import itertools
import re
from collections.abc import Collection, Iterable, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.graph.knowledge import Knowledge

OFFICE, _ORGANISATION = "office", "organisation"
_WORDS = read_toml("granola", "printed_names")
_LAST_WORDS: dict[str, list[str]] = _WORDS["kinds"]
_TOWNS: dict[str, str] = _WORDS["colleges"]
_UNIT, _WHOLE = re.compile(_WORDS["unit"]), re.compile(_WORDS["whole"])
_ARTICLE = re.compile(_WORDS["article"])
_OF_TOWN = re.compile(_WORDS["college"])
_OFFICES = {office: office.title() for office in _WORDS["offices"]}
_OF_FIELD = re.compile(r"\b(Ministry of |Department of )(?!the\b)([a-z]\w+)")
_COLLEGE = " College"
_KNOWN = 10
"""The least number of statements about a company that is recognised by a single word."""
_PART_OF = ("P361", "P749")
"""Part of, parent organisation."""


def printed_name(knowledge: Knowledge, qid: str, label: str, kinds: Collection[str]) -> str:
    """Return the name of an institution, an office or a place of some ``kinds`` in English texts.

    A place has its usual name: "Kyiv".
    """
    if usual := read_toml("granola", "levels/places")["names"].get(qid):
        return str(usual)
    label = in_a_sentence(label)
    if _ORGANISATION in kinds:
        label = _ARTICLE.sub("the ", label)
    aliases = knowledge.labels.aliases(qid)
    if OFFICE in kinds:
        return office_name(label, aliases)
    if label.endswith(_COLLEGE):
        values = knowledge.statements.values
        wholes = (whole for pid in _PART_OF for whole in values(qid, pid))
        return college_name(label, aliases, wholes, knowledge.labels.description(qid) or "")
    name = company_name(label, aliases, kinds)
    return name if name != label and _needs_word(knowledge, qid, label) else label


def in_a_sentence(label: str) -> str:
    """Return the name of an institution as it stands in a sentence, apart from its article.

    >>> in_a_sentence("The University of Akron"), in_a_sentence("The Mirisch Company")
    ('University of Akron', 'The Mirisch Company')
    >>> in_a_sentence("Faculty of Biology of University of Gdańsk")
    'Faculty of Biology of the University of Gdańsk'
    >>> in_a_sentence("French Ministry of education")
    'French Ministry of Education'
    """
    label = label.removeprefix("The ") if label.startswith("The University of ") else label
    label = _OF_FIELD.sub(lambda match: f"{match[1]}{match[2].title()}", label)
    return label.replace(" of University of ", " of the University of ").replace("’", "'")


def _needs_word(knowledge: Knowledge, qid: str, label: str) -> bool:
    """Return whether a single word is the name of other items, too, or little known."""
    if " " in label:
        return False
    items = itertools.chain(knowledge.names.items(label), knowledge.names.items(label.lower()))
    is_known = knowledge.statements.popularity(qid) >= _KNOWN
    return not is_known or any(item != qid for item in items)


def company_name(label: str, aliases: Sequence[str], kinds: Collection[str]) -> str:
    """Return the name of a company with the word for what it is, if an alias has it.

    >>> company_name("Apple", ["Apple Records", "LC 01074"], ["organisation", "label"])
    'Apple Records'
    >>> company_name("Apple", ["Apple Records"], ["organisation"])
    'Apple'
    """
    words = (word for kind in kinds for word in _LAST_WORDS.get(kind, ()))
    return next((name for word in words if (name := f"{label} {word}") in aliases), label)


def office_name(label: str, aliases: Sequence[str]) -> str:
    """Return the name of an office with the capitals of an alias, or the usual ones.

    >>> office_name("Prime minister of India", [])
    'Prime Minister of India'
    >>> office_name("Governor general of Axis", ["Governor General of Axis"])
    'Governor General of Axis'
    """
    folded = label.casefold()
    same = (alias for alias in aliases if alias.casefold() == folded and " The " not in alias)
    names = [label, *same]
    name = max(names, key=lambda name: sum(map(str.isupper, name)))
    office = next((office for office in _OFFICES if name.startswith(f"{office} ")), "")
    return f"{_OFFICES[office]}{name.removeprefix(office)}" if office else name


def college_name(
    label: str, aliases: Sequence[str], wholes: Iterable[str], description: str
) -> str:
    """Return the name of a college with its university, or with the town of the university.

    >>> college_name("Trinity College", ["Trinity College, Oxford"], [], "")
    'Trinity College, Oxford'
    >>> college_name("Girton College", [], [], "college of the University of Cambridge")
    'Girton College, Cambridge'
    """
    names = sorted(alias for alias in aliases if alias.startswith(f"{label}, "))
    towns = {_TOWNS[whole] for whole in wholes if whole in _TOWNS}
    if not towns and (match := _OF_TOWN.search(description)):
        towns = {match["town"]}
    of_towns = [f"{label}, {town}" for town in towns]
    if len(of_towns) == 1 and (not names or of_towns[0] in names):
        return of_towns[0]
    return names[0] if len(names) == 1 else label


def part_and_whole(label: str) -> tuple[str, str] | None:
    """Return the part and the whole that a comma separates in a name, or None.

    >>> part_and_whole("Moscow State University, Faculty of Law")
    ('Faculty of Law', 'Moscow State University')
    >>> part_and_whole("University of California, Los Angeles")
    """
    first, comma, second = label.partition(", ")
    if not comma or "," in second:
        return None
    pairs = ((first, second), (second, first))
    return next(((a, b) for a, b in pairs if _UNIT.search(a) and _WHOLE.search(b)), None)
