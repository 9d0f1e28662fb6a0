"""Tell the subjects of questions from others with the same name."""

import functools
from collections.abc import Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.fame import (
    country_led,
    fame,
    is_famous,
    is_well_known,
    needs_no_description,
)
from kgbuild.datasets.granola.generations import is_one_generation
from kgbuild.datasets.granola.levels.places import PLACE
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.name_counts import NameCounts
from kgbuild.datasets.granola.plain_names import (
    CLUB,
    is_bare_ruler,
    is_generic,
    is_in_other_language,
    is_unusual,
    is_unusual_institution,
    ruled_country,
    says_little,
    school_name,
)
from kgbuild.datasets.granola.questions.item_labels import cleaned_label, item_label
from kgbuild.datasets.granola.questions.namesakes import PERSON, WORKS
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.datasets.granola.usual_names import (
    SAY_MIDDLE_NAMES,
    TWO_SURNAMES,
    has_middle_name,
    has_title,
)
from kgbuild.datasets.granola.usual_names import is_formal as is_formal_name
from kgbuild.datasets.granola.usual_nouns import POLITICIAN
from kgbuild.english.normalize import fold
from kgbuild.relations import Relation
from kgbuild.rows import Rejected
from kgbuild.store.arrays import Numbers

_FICTIONAL = {"character", "franchise"}
"""Kinds of names that films, games and books share, which are about the same."""
_NAMED_BY_WORDS = {"place", "water", "character", "team", *WORKS}
"""Kinds whose items are usually recognised by a single word."""
_WELL_KNOWN = 25
"""Minimum number of statements about an item that is recognised by a single word, like Intel."""
_COMMON = 12
"""The least product of the numbers of people with the first and with the last name of a person
whose name others may have. In a large store, this is at least a thousandth of all people.
"""
_WELL_KNOWN_WORK = 60
"""The least number of statements about a film or a series that is recognised by its title."""
_KNOWN_BY_RARE_NAME = 15
"""The least fame of a person who is known by a rare name, without a description."""
_LEADER = "politician"
"""What a president or a prime minister is, whatever else the description says."""
_MORE_PROPERTIES, _MORE_FAME = 10, 28
"""The least number of different properties, and the least fame, of a well-known person who has a
common name.
"""
_MORE_FAMOUS = 10
"""How many times as famous somebody is as a namesake of whom nobody thinks."""
_KNOWN_WORD = 15
"""The least fame of an organisation that is recognised by a single word, like Radiohead."""
_UNKNOWN = 6
"""The fame from which on somebody is no longer little known."""
_INSTITUTIONS = {"organisation", "army", "field", "school"}
_TEAM, _ENSEMBLE = "team", "ensemble"
_KNOWN_INSTITUTION = 10
"""The least number of statements about an institution that is recognised by a generic name."""
_MAX_NAMESAKES = 2
"""Maximum number of people who share a first name, if one of them has no other name."""
_WELL_KNOWN_TOWN = 10
"""The least number of statements about a town that is recognised without its state."""
_CITIZENSHIP = "P27"


class SubjectNames:
    """The names of the subjects of a relation, and what they need beside them.

    ``people`` are the numbers of the subjects, and of other people, who may have the first name of
    a subject; each is there once.
    """

    def __init__(self, relation: Relation, people: Numbers, profiles: Profiles):
        self._relation = relation
        self._profiles = profiles
        self._people = people

    def apposition(self, subject: str, label: str, kinds: Sequence[str]) -> str:
        """Return the phrase that tells a subject from others of its name; empty if not needed.

        Raises:
            Rejected: no phrase tells it from them.
        """
        if not _FICTIONAL.isdisjoint(kinds):
            self._check_character(subject, label, kinds)
            return ""
        self._check(subject, label, kinds)
        if self._has_namesake_in_fiction(label, kinds):
            raise Rejected("same name", f"{label} is the name of a character")
        name = fold(label)
        is_word = " " not in (name if _ENSEMBLE in kinds else name.removeprefix("the "))
        asks_for_date = self._relation.object_kinds == DATE
        # Who made a work tells it from others of its title.
        kinds_by_word = (_NAMED_BY_WORDS - ({*WORKS} if asks_for_date else set())) & {*kinds}
        if PERSON in kinds:
            count = self._names.first_name(name) if is_word else 0
            if count > _MAX_NAMESAKES:
                raise Rejected("same name", f"{count - 1} others are called {label}")
            is_single = is_word and self._names.are_many and not is_famous(self._profiles, subject)
            is_common = count > 1 or is_single or self._is_common_name(subject, name)
        else:
            links = self._profiles.popularity(subject)
            is_known = links >= _WELL_KNOWN or self._is_known_word(subject, label, kinds)
            is_common = is_word and not kinds_by_word and not is_known
            # Other films and series may have the title.
            is_common |= kinds[:1] == ["screen"] and links < _WELL_KNOWN_WORK
            is_common |= _TEAM in kinds and self._is_unknown_club(subject, label)
        asks_about_places = self._asks_about_places
        phrase = self._said(subject, label, kinds, is_common and not asks_about_places)
        if asks_about_places and (phrase or self._is_common_town(subject, kinds)):
            # What distinguishes a place is often the answer.
            raise Rejected("same name", f"{label}, {phrase}" if phrase else label)
        is_alone = is_word and is_common and not phrase and not kinds_by_word
        if is_alone and asks_for_date and PERSON not in kinds:
            raise Rejected("same name", f"{label} is a single word")
        if phrase or PERSON not in kinds or needs_no_description(self._profiles, subject):
            return phrase
        return self._plain_phrase(subject, label)

    def _said(self, subject: str, label: str, kinds: Sequence[str], is_common: bool) -> str:
        """Return the phrase that tells a subject from namesakes: see ``Namesakes.apposition``.

        Raises:
            Rejected: it says only "the German company" of an institution that is little known.
        """
        phrase = self._profiles.namesakes.apposition(
            subject,
            label,
            is_common,
            self._relation.accepts_places,
            functools.partial(self._is_outshone, subject, kinds),
        )
        is_known = PERSON in kinds or fame(self._profiles, subject) >= _KNOWN_WORD
        if not is_known and says_little(phrase):
            raise Rejected("same name", f"{label} is little known, and {phrase} says too little")
        return phrase

    def _check_character(self, subject: str, label: str, kinds: Sequence[str]) -> None:
        """Check that readers know a character by its name, without the work.

        Raises:
            Rejected: the character is little known.
        """
        is_known = self._profiles.popularity(subject) >= _KNOWN_INSTITUTION
        if "character" in kinds and self._relation.object_kinds == DATE and not is_known:
            raise Rejected("same name", f"nothing tells {label} from other characters")

    def _is_unknown_club(self, subject: str, label: str) -> bool:
        """Return whether nothing in the name of a little-known football club says what it is."""
        is_known = self._profiles.popularity(subject) >= _KNOWN_INSTITUTION
        description = self._profiles.labels.description(subject) or ""
        return not is_known and "football club" in description and not CLUB.search(label)

    def _names_region(self, label: str) -> bool:
        """Return whether the name of a place says where it is: "Arena, Calabria"."""
        return self._asks_about_places and ", " in label and " and " not in label

    @property
    def _asks_about_places(self) -> bool:
        return self._relation.accepts_places and "place" in self._relation.subject_kinds

    def _has_namesake_in_fiction(self, label: str, kinds: Sequence[str]) -> bool:
        """Return whether a work has the title of a character, about whom there are many works."""
        is_work = not {*WORKS}.isdisjoint(kinds)
        return is_work and self._profiles.namesakes.has_fictional(label, _FICTIONAL)

    def _is_known_word(self, subject: str, label: str, kinds: Sequence[str]) -> bool:
        """Return whether a single word that is no common noun is that of a known organisation."""
        is_organisation = "organisation" in kinds and _NAMED_BY_WORDS.isdisjoint(kinds)
        if not is_organisation or fame(self._profiles, subject) < _KNOWN_WORD:
            return False
        return not self._profiles.namesakes.is_name(label.lower())

    def _is_outshone(self, subject: str, kinds: Sequence[str], namesake: str) -> bool:
        """Return whether nobody thinks of a namesake of a well-known person or organisation."""
        if PERSON in kinds:
            is_known = is_well_known(self._profiles, subject)
        else:
            is_known = self._is_known_word(
                subject, item_label(self._profiles.labels, subject), kinds
            )
        times = _MORE_FAMOUS * fame(self._profiles, namesake)
        return is_known and times <= fame(self._profiles, subject)

    def _plain_phrase(self, person: str, label: str) -> str:
        """Return what a person is who has no namesake in the store, but may have some elsewhere.

        Raises:
            Rejected: the store does not say it, and the person is little known.
        """
        has_people = not self._relation.accepts_places
        phrase = self._profiles.namesakes.plain_phrase(person, has_people)
        country = None if POLITICIAN.search(phrase) else country_led(self._profiles, person)
        if country:
            people = self._profiles.demonym(country) if has_people else ""
            phrase = "" if people is None else " ".join(filter(None, ("the", people, _LEADER)))
        if phrase.rpartition(" ")[2] in fold(label).split():  # "Saint Lucy, the saint"
            phrase = ""
        if not phrase and self._names.are_many and self._is_little_known(person, label):
            raise Rejected("same name", f"nothing tells {label} from others")
        return phrase

    def _is_little_known(self, person: str, label: str) -> bool:
        """Return whether readers do not know who is meant by a name without a description."""
        is_known = fame(self._profiles, person) >= _KNOWN_BY_RARE_NAME
        return not (is_known and self._names.is_rare(fold(label)))

    def _check(self, subject: str, label: str, kinds: Sequence[str]) -> None:
        """Check that English texts print the name of a subject, and that it says who is meant.

        Raises:
            Rejected: people call the person otherwise, or many institutions have the name.
        """
        if self._names_region(label):
            raise Rejected("same name", f"{label} names its region")
        if PERSON in kinds and is_one_generation(self._profiles, subject, label):
            raise Rejected("same name", f"{label} has a parent or a child of this name")
        aliases = self._profiles.labels.aliases(subject)
        if PERSON in kinds and (
            has_title(label)
            or is_bare_ruler(label)
            or self._is_called_by_country(subject, label)
            or is_unusual(label, aliases, self._names.first_name)
            or self._is_formal(subject, label, aliases)
        ):
            raise Rejected("unusual name", label)
        self._check_institution(subject, label, kinds)

    def _check_institution(self, subject: str, label: str, kinds: Sequence[str]) -> None:
        """Check the name of a subject as that of an institution or a team, if it is one.

        Raises:
            Rejected: English texts call it otherwise, or many institutions have the name.
        """
        is_institution = not _INSTITUTIONS.isdisjoint(kinds) and _NAMED_BY_WORDS.isdisjoint(kinds)
        is_known = self._profiles.popularity(subject) >= _KNOWN_INSTITUTION
        is_team = _TEAM in kinds
        is_unknown = is_institution and not is_known
        is_foreign = is_unknown and _ENSEMBLE not in kinds and is_in_other_language(label)
        if is_foreign or ((is_team or is_unknown) and is_unusual_institution(label)):
            raise Rejected("unusual name", label)
        if is_team and is_generic(label):
            raise Rejected("same name", f"others may be called {label}")
        if not is_institution or is_known:
            return
        school = school_name(label)
        if is_generic(label) or (school and self._profiles.namesakes.is_name(school)):
            raise Rejected("same name", f"others may be called {label}")

    def _is_called_by_country(self, person: str, label: str) -> bool:
        """Return whether somebody who ruled a country of today has only its name for a title.

        People say "King Abdullah" for "Abdullah of Saudi Arabia".
        """
        ruled = ruled_country(label, self._profiles.labels.description(person) or "")
        country = self._profiles.descriptions.country_of(f"ruler of {ruled}") if ruled else None
        return bool(country) and not self._profiles.history.is_former(country)

    def _is_formal(self, person: str, label: str, aliases: Sequence[str]) -> bool:
        """Return whether a person has a longer name than people say; some have a famous one."""
        descriptions = self._profiles.descriptions
        description = descriptions.read(person)
        countries = {
            *self._profiles.facts(person).get(_CITIZENSHIP, ()),
            descriptions.country_of_people((description and description.people) or ""),
            country_led(self._profiles, person),
        }
        has_two = not TWO_SURNAMES.isdisjoint(countries)
        is_little_known = fame(self._profiles, person) < _UNKNOWN
        says_middle_name = SAY_MIDDLE_NAMES.isdisjoint(countries) or not has_middle_name(label)
        if is_little_known and not says_middle_name and not is_well_known(self._profiles, person):
            return True
        is_formal = is_formal_name(label, aliases, self._names.first_name, has_two)
        return is_formal and not is_well_known(self._profiles, person)

    def _is_common_town(self, subject: str, kinds: Sequence[str]) -> bool:
        """Return whether a town shares its name with others, as most in the United States do."""
        if "city" not in kinds or self._profiles.popularity(subject) >= _WELL_KNOWN_TOWN:
            return False
        facets = self._profiles.profile(subject, None).facets
        return any((PLACE, qid) in facets for qid in read_toml("granola", "levels/places")["alike"])

    def _is_common_name(self, subject: str, name: str) -> bool:
        """Return whether people whom the store lacks may have the name of a person.

        How often its parts occur estimates how many people have both. A well-known person needs no
        description.
        """
        people = self._names.total
        is_common = self._names.frequency(name) >= max(_COMMON, people / 1000)
        facts, links = self._profiles.facts(subject), fame(self._profiles, subject)
        is_known = len(facts) >= _MORE_PROPERTIES and links >= _MORE_FAME
        return is_common and not (
            is_well_known(self._profiles, subject) and (is_known or self._leads(subject))
        )

    def _leads(self, person: str) -> bool:
        """Return whether everybody knows a person, or it leads a country."""
        return is_famous(self._profiles, person) or bool(country_led(self._profiles, person))

    @functools.cached_property
    def _names(self) -> NameCounts:
        return self._profiles.name_counts(self._people, lambda label: fold(cleaned_label(label)))
