"""Name the subjects of questions: by the label alone, or with what Wikidata's description says.

A label stands alone if its item is by far the best known of its name, or if no other item of the
store has it. People share their names with others whom the store lacks, and so do works, and
things with names of one word. So those that are not well known are told by the first nouns of the
description, or by the class of a work: "Kate Brown, the American politician". What neither names
has no question.
"""

import re
from collections.abc import Collection, Iterator

from kgbuild.datasets.granola.levels.classes import FIELDS
from kgbuild.datasets.granola.levels.profiles import PERSON, WORKS, Profiles
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.relations import Relation
from kgbuild.rows import Rejected

_KNOWN = 20
"""The least fame of an item that readers know by its name alone."""
_RATHER_KNOWN = 10
"""The least fame of a person whom the description does not tell from others, and of a text."""
_BETTER_KNOWN = 10
"""How many times as famous as all others of its name an item is whose name needs no addition."""
_NAMED_ALONE = {"character", "franchise"}
"""Kinds of names that films, games and books share, which are about the same."""
_NOUN = re.compile(r"[a-z][a-z-]*(?: [a-z-]+){0,2}(?<![a-z]{3}ing)(?<!ible)")
"""A noun of three words at most, which is not cut: "the station specialising" in something."""
_MOST_NOUNS = 2
"""The number of nouns by which a question says what somebody is, if there are no more."""


class SubjectNames:
    """The phrases that tell the subjects of a relation from others with the same name."""

    def __init__(self, relation: Relation, profiles: Profiles):
        self._relation = relation
        self._profiles = profiles
        self._labels = profiles.labels

    def apposition(self, subject: str, label: str, kinds: Collection[str]) -> str:
        """Return the phrase that tells a subject from others of its name; empty if not needed.

        What distinguishes a place is often the answer, so a place is told by its name alone.

        Raises:
            Rejected: no phrase tells it from others.
        """
        if not _NAMED_ALONE.isdisjoint(kinds):
            return ""
        others = [*self._namesakes(subject, label, kinds)]
        fame = self._fame(subject)
        is_work = not WORKS.isdisjoint(kinds)
        is_titled = is_work and self._relation.object_kinds == DATE  # others may have the title
        if is_titled and fame < _RATHER_KNOWN and "screen" not in kinds:
            raise Rejected("same name", f"{label} may be the title of other works")
        if (
            fame >= _KNOWN
            and not is_titled
            and all(fame >= _BETTER_KNOWN * self._fame(one) for one in others)
        ):
            return ""
        is_person, is_place = PERSON in kinds, "place" in kinds
        is_unclear = others or is_person or is_work or " " not in label
        if is_place and self._relation.accepts_places:  # its description has the answer
            is_unclear, phrase = bool(others), ""
        else:
            phrase = self._phrase(subject, kinds) if is_unclear else ""
        if phrase and phrase not in (self._phrase(one, kinds) for one in others):
            return phrase
        is_clear = is_person and " " in label and not others and fame >= _RATHER_KNOWN
        if is_unclear and not is_clear:
            raise Rejected("same name", f"nothing tells {label} from others")
        return ""

    def _namesakes(self, subject: str, label: str, kinds: Collection[str]) -> Iterator[str]:
        """Yield other items that may be meant by a name: those of the same kind.

        A single word may also be an alias of an item of any kind, other than a work or a place.
        """
        is_word = " " not in label and "place" not in kinds
        for item in self._profiles.items_called(label):
            other_kinds = {*self._profiles.described_kinds(item)}
            is_alike = not other_kinds or not other_kinds.isdisjoint(kinds)
            if is_word:
                is_alike = is_alike or other_kinds.isdisjoint({*WORKS, "place"})
            if item != subject and is_alike and (is_word or self._labels.label(item) == label):
                yield item

    def _phrase(self, item: str, kinds: Collection[str]) -> str:
        """Return what an item is: a nationality and plain nouns, or the class of a work; or ""."""
        if not WORKS.isdisjoint(kinds):
            direct = self._profiles.profile(item).direct
            return f"the {self._profiles.classes.names(direct[0])[0]}" if direct else ""
        description = self._profiles.descriptions.read(item)
        if description is None or not description.nouns:
            return ""
        plain = [
            noun
            for noun in description.nouns
            if _NOUN.fullmatch(noun) and f"{noun} of " not in description.text
        ]
        if plain[:1] != [*description.nouns[:1]] or plain[-1].split()[-1] in FIELDS:
            return ""
        is_short = len(plain) == len(description.nouns) == _MOST_NOUNS
        nouns = plain[:2] if is_short or plain[0] in FIELDS else plain[:1]
        people = None if self._relation.accepts_places else description.people
        return " ".join(filter(None, ("the", people, " and ".join(nouns))))

    def _fame(self, item: str) -> int:
        """Return the number of statements about an item and of its own, and twice that of aliases.

        It estimates how well an item is known.
        """
        profiles = self._profiles
        own = sum(map(len, profiles.facts(item).values()))
        return profiles.popularity(item) + 2 * len(self._labels.aliases(item)) + own
