"""Take the noun phrase out of a description: "the American rock band"."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.usual_nouns import (
    BESIDE_OTHERS,
    POLITICIAN,
    TITLES,
    is_political,
    usual_nouns,
)

_YEARS = re.compile(r"^(?:an? |the )?(?:\d{4}(?:s|[-–]\d{0,4})?,? )+", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*[-–—]?")
_ARTICLE = re.compile(r"^(?:an?|the) ", re.IGNORECASE)
_END = re.compile(
    r"\s*(?:[;:!]|(?<!\b[A-Z])\.|\b(?:from|in|by|at|on|for|who|that|which|whose|located|based|known|best|with"
    r"|about|to|near|played|published|founded|formed|between|during|since|under|as|born|active|appearing"
    r"|created|led|directed|written|produced|owned|headquartered|established|operating|responsible)\b).*$"
)
"""What ends the noun phrases of a description."""
_COMMA = re.compile(r"\s*,\s*(?:and\s+)?")
_UNFIT = re.compile(
    r"\b(?:united|und|son|daughter|child|wife|husband|brother|sister|mother|father|part|\d{4})\b|'s$|\."
    r"|\b[IVX]+$|\b(?:label recording|automotive brand|professional|international record)\b"
    r"|\bopera television\b"
    r"|^(?:alliance|artist|association|band|brand|company|corporation|federation|group|institution"
    r"|network|organi[sz]ation|religion|station|studio|union)$"
)
"""Words of phrases that do not say what an item is."""
_OFFICE = re.compile(
    r"(?:(?:former|first|second|third|fourth|fifth|\w+th|\d+(?:st|nd|rd|th)) )+"
    r"(?:(?:Vice |Lord )?(?:President|Mayor)|Prime Minister|First Lady|Governor|Chancellor"
    r"|Emperor|King|Queen|Secretary) of (?:the )?"
    r"(?:(?!Republic\b)[A-Z][\w'-]+ ?(?:of |and |the )*)+",
    re.IGNORECASE,
)
"""A phrase with an office: "the 37th governor of California"."""
_ORDINAL = re.compile(
    r"(?:former )?(?:first(?! lady)|second|third|fourth|fifth|\w+th|\d+(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
_MUSIC = re.compile(r"\bmusic composer\b", re.IGNORECASE)
_SCHOLAR = re.compile(
    r"(?P<noun>(?:historian|philosopher|theorist) of [a-z ]+?)"
    rf"(?: and (?:{'|'.join(sorted(BESIDE_OTHERS))}))?"
)
"""A noun with a field: "historian of science and technology", without "and professor" after it."""
_NOUNS = read_toml("granola", "questions/namesakes")
_ALL = {noun for name in ("people", "organisations", "works") for noun in _NOUNS[name]}
_MODIFIERS = {word.casefold(): word for word in _NOUNS["modifiers"]}
_OFFICES = {
    *("ambassador", "chancellor", "emperor", "governor", "king", "lady", "minister", "president"),
    *("queen", "secretary", "senator"),
}
"""Nouns that do not go on: "prime minister and politician"; without years, they do not say who is
meant."""
_VAGUE = {
    *("activist", "agency", "captain", "chain", "club", "coach", "developer", "director", "editor"),
    *("executive", "group", "lady", "leader", "manager", "mayor", "minister", "network", "officer"),
    *("player", "producer", "racer", "secretary", "series", "station", "supervisor"),
}
"""Nouns that say little without a word before them."""
_NONE: frozenset[str] = frozenset()
_OF_FILMS = frozenset({"director", "producer"})
_CLEAR_AFTER = {
    **dict.fromkeys(("actor", "actress", "cinematographer", "comedian", "editor"), _OF_FILMS),
    **dict.fromkeys(("filmmaker", "screenwriter", "writer", "animator", "singer"), _OF_FILMS),
    **dict.fromkeys(("musician", "songwriter", "rapper", "composer"), frozenset({"producer"})),
    "footballer": frozenset({"coach", "manager"}),
    "director": frozenset({"editor"}),
}
"""Vague nouns that say enough after another one: "actor and director"."""
_PUBLIC = {"governor", "mayor", "prime minister", "senator"}
"""Offices that only politicians hold."""
_CUT = {
    "artist",
    "coach",
    "designer",
    "engineer",
    "general",
    "professor",
    "queen",
    "scholar",
    "teacher",
}
"""Nouns that mean something else without the words that stand before them."""
_WRITERS = (["author"], ["writer"])
"""Nouns that say nothing new of a novelist."""
_MAX_MODIFIERS = 3


class NounPhrases:
    """The noun phrases of descriptions.

    ``is_people`` returns whether a word names a people, such as Irish, which has a capital.

    >>> NounPhrases({"Irish"}.__contains__).phrase("Irish painter and artist (1922-2003)", True)
    'the Irish painter'
    """

    def __init__(self, is_people: Callable[[str], object]):
        self._is_people = is_people

    def phrase(self, description: str, is_person: bool) -> str:
        """Return the noun phrase of a description, with its article; empty if it has none.

        The noun of ``people`` is one of theirs: "English film, stage and television actor".
        """
        text = _BRACKETS.sub("", description).strip()
        head = _END.sub("", _ARTICLE.sub("", _YEARS.sub("", text)))
        noun, *others = _COMMA.split(head.strip())
        noun = noun.replace("association football player", "footballer").replace(" & ", " and ")
        noun = _MUSIC.sub("composer", noun).replace("hip hop", "hip-hop")
        noun = noun.replace("professional ", "") if is_person else noun
        if is_person and _OFFICE.fullmatch(noun):
            # Nobody says which governor of New York somebody was.
            return "" if _ORDINAL.match(noun) else f"the {noun[0].lower()}{noun[1:]}"
        words = [word for word in noun.split() if "/" not in word]
        if words[:1] == ["US"]:
            words[0] = "American"
        peoples = [*self._peoples(words)]
        rest = words[len(peoples) :]
        if not rest or rest[0] == "and":
            return ""  # "British and director"
        if not peoples and rest[0].istitle() and rest[0].casefold() not in {*_MODIFIERS, *_ALL}:
            return ""  # "Yale professor" begins with a name
        if is_person:
            parts = [" ".join(rest), *filter(None, others)]
            scholar = _SCHOLAR.fullmatch(parts[0])
            nouns = [scholar["noun"]] if scholar else _nouns(" and ".join(parts), True)
            nouns = usual_nouns(_as_politician(nouns, text), text, peoples)
        else:
            nouns = _nouns(" ".join(rest), False)
        is_title = not peoples and not TITLES.isdisjoint(nouns)  # the princess of what?
        is_office = any(noun.rpartition(" ")[2] in _OFFICES for noun in nouns[:1])
        phrase = " ".join([*peoples, enumeration(nouns)])
        is_unfit = not nouns or is_title or is_office or _UNFIT.search(phrase)
        return "" if is_unfit else f"the {phrase}"

    def is_ordinal_office(self, description: str) -> bool:
        """Return whether a description names a politician's office with its number only.

        >>> NounPhrases({"Irish"}.__contains__).is_ordinal_office("8th President of Ireland")
        True
        """
        head = _END.sub("", _ARTICLE.sub("", _BRACKETS.sub("", description).strip()))
        noun, *_ = _COMMA.split(head.strip())
        is_office = _OFFICE.fullmatch(noun) and _ORDINAL.match(noun)
        return bool(is_office) and is_political(noun)

    def _peoples(self, words: Sequence[str]) -> Iterator[str]:
        """Yield the words at the beginning that name peoples: "American and British"."""
        for word, following in itertools.zip_longest(words, words[1:], fillvalue=""):
            capital = word.title() if word.islower() else word
            is_first = bool(self._is_people(f"{word} {following}"))  # "New Zealand"
            is_joined = word == "and" and self._is_people(following)
            if not (is_first or is_joined or all(map(self._is_people, capital.split("-")))):
                return
            yield capital if word != "and" else word
            if is_first:
                yield following
                return


def _nouns(text: str, is_person: bool) -> list[str]:
    """Return the nouns of a phrase that say what an item is: all of a person, one of others.

    A noun keeps the usual words before it. Nothing is left if a person's first noun is unknown, or
    if the first noun is vague then. "Film and television director" is a film director.
    """
    lists = ["people"] if is_person else ["organisations", "works"]
    usual = {noun for name in lists for noun in _NOUNS[name]}
    text, of, _ = text.partition(" of ")
    nouns: list[str] = []
    shared: list[str] = []
    *_, end = text.split(" and ")
    for part in text.split(" and "):
        *before, last = part.casefold().split() or [""]
        is_adjective = {*before, last} <= {*_MODIFIERS}
        # Of a "film and television company", the film is no noun.
        is_noun = last in usual and (is_person or not is_adjective or part is end)
        if not nouns and not is_noun and (is_adjective or not is_person):
            shared = shared or ([*before, last] if is_adjective else before)
            continue
        joined: list[str] = []
        if shared and is_person:
            # "stage and film actor", "film and television director"
            joined = [*shared, "and"] if last in _VAGUE and len(before) == 1 else []
            before = before if joined else shared if last in _VAGUE else []
        kept = [_MODIFIERS[word] for word in _usual_end(before or ([] if is_person else shared))]
        shared = []
        is_cut = len(kept) < len(before)
        if nouns and (last not in usual or (is_cut and last in _CUT)):
            continue  # "physician, humanist and botanist"
        vague = _VAGUE - _CLEAR_AFTER.get(nouns[0].rpartition(" ")[2] if nouns else "", _NONE)
        if last not in usual or (not kept and (last in vague or (is_cut and last in _CUT))):
            break
        nouns.append(" ".join([*joined, *kept, last]))
        if last in _OFFICES or not is_person:
            break
    is_repeated = nouns and nouns[0] in _NOUNS["writers"] and nouns[1:2] in _WRITERS
    if is_repeated:
        return nouns[:1]
    has_object = bool(of and nouns[1:]) and text.casefold().endswith(nouns[-1])
    is_private = nouns[-1:] and nouns[-1] not in _PUBLIC  # "and president of a company"
    return nouns[:-1] if has_object and is_private else nouns


def _as_politician(nouns: Sequence[str], text: str) -> Sequence[str]:
    """Return the nouns of somebody, or "politician" alone instead of an office before it.

    Somebody is a politician if the description says so anywhere: "president and politician".
    """
    is_office = any(noun.rpartition(" ")[2] in _OFFICES for noun in nouns[:1])
    match = POLITICIAN.search(text) if is_office else None
    return [match[0]] if match else nouns


def enumeration(nouns: Sequence[str]) -> str:
    """Return nouns in a list.

    >>> enumeration(["actor", "singer", "dancer"]), enumeration(["actor"])
    ('actor, singer and dancer', 'actor')
    """
    *before, last = nouns or [""]
    return f"{', '.join(before)} and {last}" if before else last


def _usual_end(words: Sequence[str]) -> Sequence[str]:
    """Return the last words that are usual before a noun: two if there are more than three."""
    start = len(words)
    while start and words[start - 1] in _MODIFIERS:
        start -= 1
    usual = words[start:]
    return usual if len(usual) <= _MAX_MODIFIERS else usual[-_MAX_MODIFIERS + 1 :]
