"""Tell items from others with the same name: "Journey, the American rock band"."""

import functools
import itertools
import re
from collections.abc import Callable, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.graph.exact_names import ExactNames
from kgbuild.rows import Rejected
from kgbuild.store.labels import Labels

PERSON = "person"
WORKS = ("screen", "music", "writing", "artwork")
"""The kinds of works, whose titles stand in quotation marks."""

_YEARS = re.compile(r"^(?:an? |the )?(?:\d{4}(?:s|[-–]\d{0,4})?,? )+", re.IGNORECASE)
_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*[-–—]?")
_ARTICLE = re.compile(r"^(?:an?|the) ", re.IGNORECASE)
_END = re.compile(
    r"\s*(?:[;:,!]|(?<!\b[A-Z])\.|\b(?:from|in|by|at|on|for|who|that|which|whose|located|based|known|best|with"
    r"|about|to|near|played|published|founded|formed|between|during|since|under|as|born|active|appearing"
    r"|created|led|directed|written|produced|owned|headquartered|established|operating|responsible)\b).*$"
)
"""What ends the noun phrase of a description."""
_UNFIT = re.compile(
    r"\b(?:united|und|son|daughter|child|wife|husband|brother|sister|mother|father|part|\d{4})\b|'s$|\."
    r"|\b[IVX]+$|\b(?:label recording|automotive brand|professional|international record)\b"
    r"|^(?:artist|band|brand|company|corporation|group|institution|network|organi[sz]ation"
    r"|station|studio|union)$"
)
"""Words of phrases that do not say what an item is."""
_NOUNS = read_toml("granola", "namesakes")
_VAGUE = {
    *("artist", "coach", "designer", "developer", "director", "editor", "engineer", "network"),
    *("player", "publisher", "series", "supervisor"),
}
"""Nouns that say little without the word before them."""
_PLAIN = re.compile(
    r"the [A-Z][\w-]+(?: (?!of|former|retired|university|estate|prince|teacher|researcher|series)"
    r"[a-z-]+)+"
)
"""A phrase without names, numbers and offices."""
_MAX_WORDS = 4
"""Maximum number of words of a phrase; of more, the nationality and the noun remain."""


_CACHE_SIZE = 1 << 15
"""Maximum number of descriptions whose phrases are kept in memory: many have the same one."""


class Namesakes:
    """The names that items share, and the phrases that tell these items apart.

    ``is_people`` returns whether a word names a people, such as Irish, which has a capital.
    """

    def __init__(
        self,
        names: ExactNames,
        labels: Labels,
        kinds: Callable[[str], Sequence[str]],
        is_people: Callable[[str], object],
    ):
        self._names = names
        self._is_people = is_people
        self._labels = labels
        self._kinds = kinds
        self._phrase_of = functools.lru_cache(_CACHE_SIZE)(self._read_phrase)

    def apposition(self, qid: str, name: str, is_common: bool, gives_place: bool) -> str:
        """Return the phrase that tells an item from its namesakes; empty if it has none.

        A namesake has the same label and is of the same kind; a single word may also be an alias of
        any item. ``is_common`` is whether an item without namesakes needs a phrase, too;
        ``gives_place`` is whether a place in the phrase would be an answer.

        Raises:
            Rejected: nothing tells the item from a namesake; of a place, that would be an answer.
        """
        items = self._names.items(name)  # there may be thousands, so they are read one by one
        namesakes = (item for item in items if item != qid and self._is_namesake(qid, item, name))
        namesake = next(namesakes, None)
        if not namesake and not is_common:
            return ""
        phrase = self._phrase(qid, qid)
        others = itertools.chain([namesake] if namesake else [], namesakes)
        phrases = (self._phrase(item, qid) for item in others)
        says_name = phrase.removeprefix("the ") in name.casefold()  # also if there is no phrase
        kinds = {*self._kinds(qid)}
        is_alike = says_name or (gives_place and "place" in kinds) or phrase in phrases
        is_unclear = not kinds or bool(kinds & {PERSON, *WORKS}) or name.isupper()
        if is_alike and (namesake or is_unclear):
            raise Rejected("same name", f"{name} is also the name of {namesake or 'others'}")
        return phrase

    def plain_phrase(self, qid: str) -> str:
        """Return a nationality and a noun that describe a person: "the American actor"; else ""."""
        phrase = self._phrase(qid, qid)
        _, nationality, *_ = [*phrase.split(), "", ""]
        return phrase if self._is_people(nationality) and _PLAIN.fullmatch(phrase) else ""

    def _is_namesake(self, qid: str, other: str, name: str) -> bool:
        """Return whether another item with a name may be meant by it."""
        kinds, other_kinds = {*self._kinds(qid)}, {*self._kinds(other)}
        if " " not in name and "place" not in kinds:
            is_named = not name.isupper() or self._labels.label(other) == name
            return is_named and other_kinds.isdisjoint(WORKS)
        return self._labels.label(other) == name and not kinds.isdisjoint(other_kinds)

    def _phrase(self, item: str, qid: str) -> str:
        """Return the phrase that describes an item, if it tells others from the item ``qid``."""
        is_person = PERSON in self._kinds(item)
        phrase = self._phrase_of(self._labels.description(item) or "", is_person)
        # "the subsidiary of Boeing" is owned by Boeing
        return phrase if PERSON in self._kinds(qid) else phrase.partition(" of ")[0]

    def _shortened(self, words: list[str]) -> list[str]:
        """Return the words of a noun phrase that matter, none if it is unclear which these are."""
        if words[:1] == ["US"]:
            words = ["American", *words[1:]]
        if len(words) > _MAX_WORDS and words[-2] == "and":
            words = words[:-2]  # "American video game developer and publisher"
        if len(words) > _MAX_WORDS and "of" not in words:
            can_shorten = self._is_people(words[0]) and words[-1].islower()
            last = words[-2:] if words[-1] in _VAGUE else words[-1:]
            words = [words[0], *last] if can_shorten else []
        is_vague = words[-1:] == ["series"] and all(map(self._is_people, words[:-1]))
        return [] if is_vague else words

    def _read_phrase(self, description: str, is_person: bool) -> str:
        """Return the noun phrase of a description: "the American rock band".

        The noun of ``people`` is one of theirs: "English film, stage and television actor".
        """
        text = _BRACKETS.sub("", description).strip()
        noun = _END.sub("", _ARTICLE.sub("", _YEARS.sub("", text))).strip()
        noun = noun.replace("association football player", "footballer")
        if " of " in noun:
            noun = noun.partition(" and ")[0]
        words = self._shortened([word for word in noun.split() if "/" not in word])
        if "of" not in words and words[-1:] and words[-1].istitle():  # "Punk rock Band"
            words = [word if self._is_people(word) else word.lower() for word in words]
        if words and words[0].istitle() and not self._is_people(words[0]):
            return ""  # "Consumer goods company" begins like a name, "Yale professor" with one
        phrase = " ".join(words)
        last_noun = phrase.partition(" of ")[0].rpartition(" ")[2].lower()
        lists = ["people"] if is_person else _NOUNS
        is_noun = any(last_noun in _NOUNS[name] for name in lists)
        before, _, after = phrase.rpartition(" and ")
        is_pair = before.rpartition(" ")[2] in _NOUNS["people"]
        if before and is_person and not is_pair and not self._is_people(after.split(" ")[0]):
            return ""  # "British and director"
        is_people = any(
            self._is_people(word.title()) for word in re.split("[ –-]", phrase) if word.islower()
        )
        return f"the {phrase}" if is_noun and not is_people and not _UNFIT.search(phrase) else ""
