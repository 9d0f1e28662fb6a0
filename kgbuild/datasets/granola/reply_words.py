"""Split a reply into words, and tell which of them belong to one name."""

import re
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from kgbuild.datasets.base import read_toml
from kgbuild.evaluate.text_metrics import normalise

_WORDS = read_toml("granola", "reply_words")
_ARTICLES = {"a", "an", "the"}
_CITATION = re.compile(r"\[[^\]\n]*\]|https?://\S+|【[^】\n]*】|_+")
"""Citations ("[1]", "[Wikipedia]"), addresses of pages, and the marks of emphasis."""
_WHOLE_IN_BRACKETS = re.compile(r"^\s*\[([^\[\]\n]*[^\W\d][^\[\]\n]*)\][\s.!]*$")
"""A reply of nothing but a bracket: "[Gers, Occitania]"."""
_MIGHT_BE = re.compile(
    r",?\s(?:though|but|although|or)\s(?:it|that|he|she|this)\s(?:could|might|may)"
    r"(?:\s(?:just\sas|equally))?(?:\s(?:also|well|even))?\s(?:be|have\sbeen)\s",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:(?<=^)|(?<=[.!?…] ))(?:wasn|isn|weren)['’]?t (?:it|that|this|he|she)\b(?=[^.!\n]*\?)",
    re.IGNORECASE,
)
"""The beginning of an answer in the form of a question: "Wasn't it Paris?"."""
_GUESSED_BESIDE = re.compile(
    r"(?<![\w'’])([A-Z]\w*|\d[\w/.-]*)\?\s+(?:or\s)?(?i:maybe|perhaps|possibly)\s(?=[A-Z\d])"
)
"""A second guess: "Paris, though it could be London", "Paris? Maybe London?"."""
_PRESENT_DAY = re.compile(r"\b(?:present|modern)[- ]day\s+", re.IGNORECASE)
_OF_AMERICA = re.compile(r"\bU\.? ?S\.? (?=(?:state|territory|commonwealth) of )")
"""What "the U.S. state of Ohio" begins with."""
_NICKNAME = re.compile(r"\b([A-Z]\w*) [\"“][^\"”\n]{1,20}[\"”] (?=[A-Z])")
"""A nickname within a name, after the first name, which is group 1: Mary Jane "MJ" Watson."""
_NICKNAME_BEFORE = re.compile(r"\b[A-Z]\w*(?: [A-Z]\.)? [\"“]([A-Z][^\"”\n ]{1,20})[\"”] (?=[A-Z])")
_HIGH_SCHOOL = re.compile(r"(?<=[a-z.] )H\.?S\b\.?")
_HALF = re.compile(r"\b([NSEW]\.) (?=Carolina|Dakota|Virginia|Korea|Ireland|Africa)")
_HALVES = {"N.": "North ", "S.": "South ", "E.": "East ", "W.": "West "}
_AMPERSAND = re.compile(r"\s+&\s+")
_SHORT = re.compile(
    r"(?:(?<![\w,.] )|(?<=\bin )|(?<=\bnear )|(?<=\bfrom ))"
    r"\b(L\. ?A|LA|N\. ?Y\. ?C|NYC|Philly|(?<!Las )Vegas)\b(?:\.(?!\s*[A-Z]|$))?"
)
_POSTAL = re.compile(
    r"(?:,\s+|(?<=[a-z])\s|^(?:in\s)?)([A-Z]{2,3})(?:\b(?=[,;)])|\.?$)|,\s+([A-Z]{2,3})\b(?!\.)"
)
"""The code of a state after a comma, or at the end: "Madison WI"."""
_EXPLAINED = re.compile(
    r"\W*(?:(?:i\.?e|that['’]?s|that is|which is|meaning|short for|aka)\b[.,]?\s*)?"
    r"(?:the\s)?(?P<name>[A-Z]\w+(?: [A-Z]\w+)+)"
)
"""A name that explains initials before it: ", i.e. Boston College"."""
_MOST_OF_TOWN = 3
"""The greatest number of words of a reply that is only a town and a state: "las cruces nm"."""
_LOWER_CODE, _LOWER_CODE_OR_WORD = (
    re.compile(rf"(?<=[a-z]{{3}}),?\s({'|'.join(codes)})(?=[,;)]|\s*\(|\.?\s*$)")
    for codes in (
        _WORDS["lower_postal"]["codes"],
        _WORDS["lower_postal"]["codes"] + _WORDS["lower_postal"]["words"],
    )
)
"""The code of a state in lower case at the end, or before a stop."""
_ABBREVIATED = re.compile(r"(,\s+|^(?:in\s)?)([A-Z][a-z]{1,8})\b(?:\.|$)")
_REGNAL = re.compile(r"\b([A-Z]\w+),? the ([A-Z]\w+)\b")
"""The number of a ruler in words: "Christian the Tenth"."""
# The punctuation before a word, the word, and the punctuation after it.
_EDGES = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)
_POSSESSIVE = re.compile(r"['’]s$|(?<=s)['’]$", re.IGNORECASE)
# Words are also separated by a dash with spaces, a slash, and a bracket without a space before it.
_SEPARATOR = re.compile(r"\s*[—/]\s*|\s+[-–]+\s+|(?<=\w)(?=\()")
_HYPHEN = re.compile(r"(?<=\w)[-‐‑–](?=\w)")
_STOP = re.compile(r"[.!?\n]")
# Words whose point does not end a sentence: "D.C.", "St."
_ABBREVIATION = re.compile(r"(?:\w\.)+|(?:st|jr|sr|dr|mr|mrs|mt|ft|prof|u\.s)\.", re.IGNORECASE)
TITLES = {
    *("mr", "mrs", "ms", "dr", "sir", "dame", "lord", "lady", "king", "queen", "prince"),
    *("princess", "emperor", "empress", "pope", "saint", "st", "president", "senator"),
    *("governor", "general", "captain", "professor", "actor", "actress", "singer", "director"),
    *("writer", "author", "producer", "composer", "musician", "artist", "comedian"),
    *("politician", "minister", "premier", "chancellor", "judge", "justice", "colonel", "major"),
    *("admiral", "lieutenant", "bishop", "archbishop", "cardinal", "duke", "duchess", "count"),
    *("baron", "sultan", "tsar", "rabbi", "reverend", "rev", "prof", "filmmaker", "novelist"),
    *("poet", "painter", "entrepreneur", "businessman"),
}
"""Words with a capital before a name that do not belong to it."""
_FIRST_WORDS = {
    *_WORDS["first"]["words"],
    *("in", "at", "on", "of", "from", "near", "to", "by", "he", "she", "it", "his", "her"),
    *("its", "they", "their", "this", "that", "i", "was", "is", "were", "born", "died", "yes"),
    *("no", "probably", "likely", "possibly", "maybe", "perhaps", "apparently", "answer"),
    *("somewhere", "located", "according", "based", "both", "either", "for", "with", "as"),
    *("and", "or", "but", "although", "while", "downtown", "central", "northeast", "northwest"),
    *("southeast", "southwest", "hmm", "hm", "well", "um", "uh", "oh", "ah", "okay", "ok", "so"),
    *("honestly", "sure", "some", "just", "first", "then", "there", "not", "my", "we"),
}
"""Words that may have a capital before a name without being a part of it."""
_OF_PRONOUN = re.compile(r"(I)['’]ll$", re.IGNORECASE)
HEDGES = frozenset(_WORDS["hedges"]["words"])
NO_NAMES = frozenset(_WORDS["lower"]["words"]) | _FIRST_WORDS | frozenset(_WORDS["kinds"]["words"])
PARTS_OF_PLACES = frozenset(_WORDS["parts"]["words"])
PARTS_OF_STATES = frozenset(_WORDS["parts"]["of_states"])
NAMED_PARTS = frozenset(_WORDS["parts"]["names"])
DIRECTIONS = frozenset(_WORDS["parts"]["directions"])
WHOLE_PLACES = frozenset(_WORDS["whole"]["names"])
CODES_IN_LOWER_CASE = frozenset({"in", "on"})
"""Codes of Indiana and Ontario, which are prepositions if they have no capitals."""
PLACE_KINDS = frozenset(_WORDS["kinds"]["words"])
AMERICAN_STATES = frozenset(_WORDS["american"]["names"])
SHARED = frozenset(_WORDS["shared"]["relations"])
_STATE_OF_CODE, _NAME_OF_SHORT = _WORDS["postal"], _WORDS["short"]
STATES_OF_CODES = frozenset(map(normalise, _STATE_OF_CODE.values()))
LEGAL_FORMS = frozenset(_WORDS["legal"]["forms"])
STATE_KINDS = frozenset(_WORDS["kinds"]["states"])
SUFFIXES = {"jr", "sr", "ii", "iii", "iv"}
NUMERAL = re.compile(r"\b[ivx]+$")
"""The normalised number of a ruler."""
_ADJECTIVE = re.compile(r"[A-Z]\w+[-‐‑][a-z]{4,}")
"""An adjective with a hyphen: "French-speaking"."""
_CONTRACTION = re.compile(r"\w+['’](?:re|d|ll|ve|m)", re.IGNORECASE)
"""A pronoun and a verb: "They're"."""
_PART = re.compile(r"\d\d?")
"""The number of a sequel: "Kung Fu Panda 2"."""
_VARIANTS = _WORDS["variants"]
_DEGREE = re.compile(
    rf"(?<![\w.])(?:{'|'.join(map(re.escape, _WORDS['degrees']['names']))})(?![\w.])"
)

_OCCUPATIONS = {
    deed: occupation for occupation, deeds in _WORDS["deeds"]["of"].items() for deed in deeds
}
_DEED = re.compile(
    rf"\b({'|'.join(_WORDS['deeds']['relatives'])})"
    r"(?:,? (?:who|has|had|also|have|herself|himself))*"
    rf" ({'|'.join(_OCCUPATIONS)})(?: too| as well)?\b",
    re.IGNORECASE,
)
"""A relative and what this person does: "his wife has directed films too"."""


class Word(NamedTuple):
    """A word of a reply: normalised, without a possessive ending, and as it is written.

    ``before`` is the punctuation between the last word and this one; ``start`` is its position.
    ``has_article`` is whether "a", "an" or "the" stands before the word.
    """

    text: str
    base: str
    written: str
    before: str
    start: int
    has_article: bool = False

    @property
    def is_name(self) -> bool:
        """Whether the word begins with a capital or a digit."""
        return self.written[:1].isupper() or self.written[:1].isdigit()

    @property
    def is_possessive(self) -> bool:
        """Whether the word has a possessive ending: "Nolan's"."""
        return self.text != self.base

    @property
    def begins_sentence(self) -> bool:
        """Whether a sentence ends before the word."""
        return bool(_STOP.search(self.before))


def plain_reply(reply: str, names: Iterable[str] = ()) -> str:
    """Return a reply without citations, nicknames in quotes, and "present-day".

    A second guess follows "or". Signs and codes become words: "and", and the state in
    "Carlisle, PA"; numbers of rulers in words become numerals. ``names`` are those of the true
    answers, which tell what a code means: "WA" is Western Australia for Perth.
    """
    known = {*names}
    text = _CITATION.sub(" ", _WHOLE_IN_BRACKETS.sub(r"\1", reply))
    text = _GUESSED_BESIDE.sub(r"\1 or ", _MIGHT_BE.sub(" or ", text))
    text = _ASKED.sub("It was", text)
    text = _OF_AMERICA.sub("", _PRESENT_DAY.sub("", text))
    text = _POSTAL.sub(lambda match: _with_state(match, known), text)
    text = _ABBREVIATED.sub(_with_region, text)
    text = _REGNAL.sub(_with_numeral, text)
    text = _HIGH_SCHOOL.sub("High School", text)
    text = _HALF.sub(lambda match: _HALVES[match[1]], text)
    text = _SHORT.sub(lambda match: _NAME_OF_SHORT[match[1].replace(" ", "")], text)
    return _NICKNAME.sub(r"\1 ", with_and(text)).strip()


def with_deeds(text: str) -> str:
    """Return a text with an occupation for what a relative does: "wife is a film director"."""
    return _DEED.sub(lambda match: f"{match[1]} is a {_OCCUPATIONS[match[2].lower()]}", text)


def with_nickname(reply: str) -> str:
    """Return a reply with the nickname of a person for the first names: "Rick Rubin"."""
    return _NICKNAME_BEFORE.sub(r"\1 ", reply)


def with_lower_states(text: str) -> str:
    """Return a text about a place with the states in lower case after towns: "pasadena ca".

    >>> with_lower_states("pasadena ca")
    'pasadena, california'
    """
    codes = _LOWER_CODE if len(text.split()) > _MOST_OF_TOWN else _LOWER_CODE_OR_WORD
    return codes.sub(lambda match: f", {_STATE_OF_CODE[match[1].upper()].lower()}", text)


def _with_state(match: re.Match[str], known: Set[str]) -> str:
    code = match[1] or match[2]
    name = None if _explains(match.string[match.end() :], code) else _STATE_OF_CODE.get(code)
    if (abroad := _WORDS["postal_abroad"].get(code)) in known:
        name = abroad
    return match[0] if name is None else f"{', ' if match.start() else ''}{name}"


def _explains(following: str, code: str) -> bool:
    """Return whether a name with these initials follows them: "BC, i.e. Boston College"."""
    explained = _EXPLAINED.match(following)
    initials = "".join(word[0] for word in explained["name"].split()) if explained else ""
    return initials.startswith(code)


def _with_region(match: re.Match[str]) -> str:
    name = _WORDS["regions"].get(match[2])
    return match[0] if name is None else f"{match[1]}{name}"


def _with_numeral(match: re.Match[str]) -> str:
    numeral = _WORDS["numerals"].get(match[2])
    return match[0] if numeral is None else f"{match[1]} {numeral}"


def with_and(text: str) -> str:
    """Return a text with "and" for "&"; that of "A&M" belongs to a name."""
    return _AMPERSAND.sub(" and ", text)


def without_degrees(text: str) -> str:
    """Return a text about a school with "degree" for those in it: "Yale, MFA 1982"."""
    return _DEGREE.sub("degree", text)


def without_variants(name: str) -> str:
    """Return a normalised name without feminine forms and abbreviations: "film actor"."""
    return " ".join(_VARIANTS.get(word, word) for word in name.split())


def without_hyphens(text: str, space: str = " ") -> str:
    """Return a text with spaces for the hyphens within words: "Ben Gurion"."""
    return _HYPHEN.sub(space, text)


def split_words(text: str) -> list[Word]:
    """Return the words of a text, without articles."""
    words: list[Word] = []
    before = "."
    has_article = False
    position = 0
    for chunk in re.split(rf"({_SEPARATOR.pattern}|\s+)", text):
        start, position = position, position + len(chunk)
        edges = _EDGES.match(chunk)
        if edges is None or not edges[2]:
            before += chunk.replace(" ", "") if chunk.strip() or "\n" in chunk else ""
            continue
        left, written, right = edges.groups()
        before += left
        if written.lower() in _ARTICLES:
            before += right
            has_article = True
            continue
        pronoun = _OF_PRONOUN.match(written)  # "I'll" is not the river Ill
        forms = (pronoun[1],) * 2 if pronoun else (written, _POSSESSIVE.sub("", written))
        text_form, base = (_VARIANTS.get(form, form) for form in map(normalise, forms))
        words.append(Word(text_form, base, written, before, start + len(left), has_article))
        has_article = False
        is_abbreviated = right.startswith(".") and _ABBREVIATION.fullmatch(written + ".")
        before = right[1:] if is_abbreviated else right
    return words


def is_extended(words: Sequence[Word], start: int, end: int) -> bool:
    """Return whether the words from ``start`` to ``end`` are a part of a longer name.

    "Paris" is a part of "Paris Hilton", and "Frank Sinatra" of "Frank Sinatra Jr.".
    """
    previous = words[max(0, start - 1)]
    follows_name = start > 0 and not words[start].before and begins_name(previous)
    if follows_name and not _CONTRACTION.fullmatch(previous.written):
        return True
    if end == len(words):
        return False
    following = words[end]
    if following.text in SUFFIXES and not _STOP.search(following.before):
        return True
    if following.before or words[end - 1].is_possessive:
        return False
    is_name = following.written[0].isupper() and following.text not in _FIRST_WORDS
    if is_name or _PART.fullmatch(following.written):
        return True
    is_joined = following.text in ("of", "at") and end + 1 < len(words)
    if is_joined and following.text == "at" and words[end + 1].has_article:
        return False  # "Elmdale at the General Hospital"
    return is_joined and not words[end + 1].before and words[end + 1].is_name


def names_stranger(text: str, question: str) -> bool:
    """Return whether a text has a name that the question does not have."""
    subject = {word.text for word in split_words(question)}
    return any(
        begins_name(word) and word.text not in subject and not word.begins_sentence
        for word in split_words(text)
    )


def begins_name(word: Word) -> bool:
    """Return whether a word has a capital because it belongs to a name."""
    if word.is_possessive or not word.written[:1].isupper() or word.text in TITLES:
        return False
    return word.text not in _FIRST_WORDS and not _ADJECTIVE.fullmatch(word.written)
