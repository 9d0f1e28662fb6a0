"""Judge replies as people do: by the items and the dates that they name."""

import itertools
import re
from collections.abc import Iterable

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola import foreign_names
from kgbuild.datasets.granola.capital_names import with_capitals
from kgbuild.datasets.granola.corrections import CONCLUSION, CORRECTION, DOUBT, with_corrected_year
from kgbuild.datasets.granola.date_matches import match_date
from kgbuild.datasets.granola.gazetteer import Gazetteer
from kgbuild.datasets.granola.item_matches import match_item
from kgbuild.datasets.granola.metrics import Outcome
from kgbuild.datasets.granola.refusals import declines, names_abstention, without_questions_back
from kgbuild.datasets.granola.reply_dates import in_english
from kgbuild.datasets.granola.reply_words import (
    names_stranger,
    plain_reply,
    with_deeds,
    with_lower_states,
    with_nickname,
    without_degrees,
    without_hyphens,
)
from kgbuild.datasets.granola.respelled import respelled
from kgbuild.datasets.granola.told_places import says_what_is_told
from kgbuild.datasets.granola.true_names import true_names
from kgbuild.datasets.granola.truths import Match, TrueAnswer, Truth
from kgbuild.evaluate.answers import final
from kgbuild.evaluate.text_metrics import abstains

_MOST_RESPELLED = 3
"""How many names of a list may have another spelling."""
_DEATH_DATE, _SCHOOL = "P570", "P69"
_ALIVE = re.compile(
    r"(?!.*\b(?:whether|if|sure|know)\b)"
    r".*\b(?:is\b(?:(?!\b(?:no longer|not)\b)[^.;\n]){0,40}\W(?:alive|living|with us)"
    r"|(?:has not|hasn['’]t) (?:yet )?died)\b",
    re.IGNORECASE | re.DOTALL,
)
"""A reply that denies a death: "is still alive"."""
_REFUSAL = re.compile(
    r"(?:[,;(–—]|\s(?:but|though))\s*(?=(?:\w+\W+){0,4}(?:not|\w+n['’]?t|no|forget|escapes)\b)"
)
"""Where a reply stops to answer: "a village, I don't know which"."""

_BESIDE = read_toml("granola", "reply_words")["beside"]["phrases"]
_HEAD = re.compile(
    r"[a-z][^A-Z,;:.()\n]{2,40}?(?=\s*\(|,? (?:aka|a\.k\.a\.|also known as)\s"
    r"|,\s(?:the|that) (?:one|guy|man|woman|actor|actress|singer|girl|boy|bloke|dude) )"
)
"""A name in lower case that begins a reply, before what says more in capitals."""
_HEAD_OF_NEIGHBOUR = re.compile(
    rf"\w[^,;:.()\n]{{2,40}}(?=,\s(?:{'|'.join(_BESIDE)})(?!\s*(?:in|of)\b)\s)", re.IGNORECASE
)
"""A place that begins a reply, before one that lies beside it: "Ohio, just upriver from Paris"."""


def _head(text: str) -> str:
    """Return the name that begins a reply, before an addition: "ann lee (the one from Alien)"."""
    match = _HEAD.match(text) or _HEAD_OF_NEIGHBOUR.match(text)
    return match[0] if match else ""


class Matcher:
    """Judges replies to questions, whose other answers it knows by ``truths``."""

    def __init__(self, truths: Iterable[Truth]):
        self._gazetteer = Gazetteer(truths)
        self._last: tuple[Truth, dict[str, TrueAnswer]] | None = None

    def judge(self, reply: str, truth: Truth) -> Outcome:
        """Return the level that a reply matches, and why; one that abstains matches none."""
        names = truth.names
        text = plain_reply(final(reply), names)
        if truth.relation == _DEATH_DATE and _ALIVE.match(text):
            return Outcome(None, reason="says that the person lives")
        if abstains(reply) and not names_abstention(text, names):
            text = self._concluded(text, truth) or self._beside_refusal(text, truth)
            if not text:
                return Outcome(None, abstained=True, reason="abstained")
        if not text:
            return Outcome(None, reason="empty")
        match = self._matched(reply, text, truth)
        if declines(text, truth, match) or self._asks_back(text, truth, match):
            return Outcome(None, abstained=True, reason="abstained")
        if match.level is None and says_what_is_told(text, truth, self._gazetteer):
            return Outcome(None, abstained=True, reason="says only what the question says")
        return Outcome(match.level, matched=match.text, reason=match.reason)

    def _asks_back(self, text: str, truth: Truth, match: Match) -> bool:
        """Return whether a false reply has its only names in a question about the subject."""
        rest = text if match.level is not None else without_questions_back(text)
        if rest == text or names_stranger(rest, truth.question):
            return False
        return not rest or (" " in rest and not self._matched(rest, rest, truth).claims)

    def _matched(self, reply: str, text: str, truth: Truth) -> Match:
        """Return the match of a reply, of which ``text`` is the plain one, by all names in it."""
        match = self._corrected(text, truth)
        if not match.claims and (other := with_nickname(reply)) != reply:
            match = self._corrected(plain_reply(final(other)), truth)
        if match.level is None and (head := _head(text)):
            match_of_head = self._corrected(head, truth)
            return match if match_of_head.level is None else match_of_head
        return match

    def _concluded(self, text: str, truth: Truth) -> str:
        """Return the true answer with which a reply ends that begins like an abstention, or "".

        "It depends on what you count. The usual answer is 1857."
        """
        *_, last = (None, *CONCLUSION.finditer(text))
        conclusion = text[last.end() :] if last else ""
        return conclusion if self._match(conclusion, truth).level is not None else ""

    def _beside_refusal(self, text: str, truth: Truth) -> str:
        """Return what an abstention claims before or after its refusal; an empty text if nothing.

        "It's an Italian village, I don't know which", "not sure, the 1910s".
        """
        if (doubt := DOUBT.match(text)) and self._match(
            text[doubt.end() :], truth
        ).level is not None:
            return text[doubt.end() :]
        *_, refusal = (None, *itertools.islice(_REFUSAL.finditer(text), 1))
        if refusal is None or abstains(text[: refusal.start()]):
            return ""
        claim = text[: refusal.start()]
        return claim if self._match(claim, truth).level is not None else ""

    def _corrected(self, text: str, truth: Truth) -> Match:
        """Return the match of what follows the last correction or conclusion, if it is an answer.

        A name that no true answer and no other answer in the dataset has is a wrong one.
        """
        for phrases in (CONCLUSION, CORRECTION):
            *_, last = (None, *phrases.finditer(text))
            if last is None:
                continue
            corrected = text[last.end() :]
            if truth.is_date:
                corrected = with_corrected_year(text[: last.start()], corrected)
            match = self._match(corrected, truth)
            if match.claims:
                return match
            if not truth.is_date and names_stranger(text[last.start() :], truth.question):
                return match._replace(claims=True)
        return self._match(text, truth)

    def _match(self, text: str, truth: Truth) -> Match:
        if truth.is_date:
            return match_date(in_english(text), truth)
        text = with_capitals(text, truth.question)
        if self._gazetteer.asks_for_place(truth.relation):
            text = with_lower_states(text)
        if truth.relation == _SCHOOL:
            text = without_degrees(text)
        if truth.is_person:
            text = with_deeds(text)
        match = self._match_item(text, truth)
        for space in (" ", ", "):  # "Ben-Gurion", and "Stuttgart-Cannstatt"
            if space != " " and truth.relation == _SCHOOL:
                break  # "University of Houston–Clear Lake" is another one
            if not match.claims and (plain := without_hyphens(text, space)) != text:
                match = self._match_item(plain, truth)
        return self._respelled(text, truth, match)

    def _respelled(self, text: str, truth: Truth, match: Match) -> Match:
        """Return the match of a reply, or a finer one by names in other languages and spellings."""
        if match.level != 1 and (english := foreign_names.in_english(text)) != text:
            found = self._match_item(english, truth)
            if match.level is None or (found.level or match.level) < match.level:
                text, match = english, found
        is_wrong = match.level is None and match.claims and not match.has_unknown
        if match.level == 1 or is_wrong:
            return match
        plain, other = text, match
        for _ in range(_MOST_RESPELLED):
            plain, before = respelled(plain, truth, self._names(truth), self._gazetteer), plain
            if plain == before:
                break
            other = self._match_item(plain, truth)
            if not other.has_unknown:
                break
        return other if match.level is None or (other.level or match.level) < match.level else match

    def _match_item(self, text: str, truth: Truth) -> Match:
        return match_item(text, truth, self._names(truth), self._gazetteer)

    def _names(self, truth: Truth) -> dict[str, TrueAnswer]:
        """Return the names of the true answers, which are kept for the next reply to a question."""
        if self._last is None or self._last[0] is not truth:
            self._last = truth, true_names(truth, self._gazetteer)
        return self._last[1]
