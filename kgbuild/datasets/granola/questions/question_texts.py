"""Write the questions about the subjects of a relation."""

import re
import unicodedata
from collections.abc import Sequence

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.levels.classes import SEX
from kgbuild.datasets.granola.levels.profiles import DISTRICT, PERSON, WORKS, Profiles
from kgbuild.datasets.granola.questions.subject_names import SubjectNames
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.english.templates import agreeing, closed, fill, goes_on, in_tense
from kgbuild.relations import Relation, Wording
from kgbuild.rows import Rejected

_SCREEN = "screen"
_RELIABLE_KINDS = {PERSON, _SCREEN}
"""Kinds whose items have reliable classes: a relation of other kinds does not apply to them."""
_ANY_KIND, _ORGANISATION, _TEAM, _BUILDING = "thing", "organisation", "team", "building"
_SUBJECT, _SETTLEMENT = "{subject}", "city"
_WORDINGS = read_toml("datasets/granola/questions/wordings_by_answer.toml")


def _any_of(name: str) -> str:
    """Return a pattern for the words of a list."""
    words = read_toml("datasets/granola/questions/name_words.toml")[name]
    return f"(?:{'|'.join(map(re.escape, words))})"


_WITHOUT_ARTICLE = re.compile(
    rf"^(?!{_any_of('cities')}){_any_of('articles')} |\b{_any_of('last_words')}$"
    rf"|^(?!.*\b{_any_of('parts')}\b)[\w.' –-]+ University (?:of (?!the )|in )?[A-Z]"
    r"|^University College |\bCollege of (?:Music|Art)\b"
)
"""Names of organisations that have no article for sure."""
_INCEPTION = "P571"
_WHERE = {"P131", "P276"}
_MAX_MAKERS = _SEVERAL = 2
_FILM = "film"
_MAKER = re.compile(
    r"\b(?:by|directed by) ([A-Z](?:(?! and [a-z]| for )[^,;()])+)(?= and [a-z]| for |$)"
)
"""The maker of a work in its description: "2012 film by Joe Wright"."""


class SubjectQuestions:
    """The questions about the subjects of a relation, by their labels."""

    def __init__(self, relation: Relation, profiles: Profiles):
        self._relation = relation
        self._profiles = profiles
        self._labels = profiles.labels
        self._names = SubjectNames(relation, profiles)
        self._kinds = catalog().kinds

    def question(self, subject: str) -> str:
        """Return the question about a subject.

        Raises:
            Rejected: the subject has no unique name, or no question suits its kind.
        """
        label, kinds = self._name(subject)
        wording = self._relation.question(kinds)
        if not wording.templates or self._is_excluded(subject):
            raise Rejected("wrong kind", ", ".join(kinds))
        kind = self._kind_of_phrase(label, kinds, wording)
        phrase = self._phrase(label, kind)
        template = self._template(subject, wording.templates[0])
        if "[" in template:  # few have a tense
            template = in_tense(template, self._is_past(subject, kinds))
        are_players = kind == _TEAM and phrase != label and not label.endswith(" team")
        template = agreeing(template, phrase, are_many=are_players)
        return fill(
            template, {_SUBJECT: self._described(subject, label, kinds, kind, phrase, template)}
        )

    def _name(self, subject: str) -> tuple[str, Sequence[str]]:
        """Return the name of a subject, and its kinds.

        Raises:
            Rejected: the subject has no name, or the relation does not apply to its kinds.
        """
        label = self._profiles.label(subject)
        stated = self._profiles.described_kinds(subject)
        kinds: Sequence[str] = stated
        if not kinds and self._relation.subject_kinds == (PERSON,):
            kinds = [PERSON]  # nothing but the relation says what it is
        is_own = self._relation.are_kinds_own
        is_word = label.islower() and PERSON not in kinds and not is_own  # "game", an organisation
        if not label or is_word or label.endswith(")") or any(map(unicodedata.combining, label)):
            raise Rejected("no label", label or subject)
        is_certain = is_own or not _RELIABLE_KINDS.isdisjoint(stated)
        if is_certain and not catalog().fits(stated, self._relation.subject_kinds):
            raise Rejected("wrong kind", ", ".join(kinds))
        return self._profiles.place_name(subject) if "place" in kinds else label, kinds

    def _phrase(self, label: str, kind: str) -> str:
        """Return the name of a subject in a sentence, by the rules of a kind.

        Raises:
            Rejected: it names no single item, or nobody knows whether it has an article.
        """
        if not self._kinds[kind].fits(label):
            raise Rejected("wrong kind", label)
        phrase = self._kinds[kind].phrase(label)
        # Most subjects of P571 are little known, and have names that describe them.
        is_unsure = kind == _ORGANISATION and phrase == label and self._relation.pid == _INCEPTION
        if is_unsure and " " in label and not _WITHOUT_ARTICLE.search(label):
            raise Rejected("no article", label)
        return phrase

    def _described(
        self, subject: str, label: str, kinds: Sequence[str], kind: str, phrase: str, template: str
    ) -> str:
        """Return the phrase for a subject with its makers, or with what tells it from others."""
        if makers := self._makers(subject, kind):
            noun = _FILM if self._profiles.is_film(subject) else ""
            return closed(_with_makers(phrase, makers, noun), template, _SUBJECT)
        apposition = self._names.apposition(subject, label, kinds)
        if not apposition or kind in WORKS:
            return closed(f"{apposition} {phrase}".lstrip(), template, _SUBJECT)
        end = "," if goes_on(template, _SUBJECT) else ""
        return f"{phrase}, {apposition}{end}"

    def _is_past(self, subject: str, kinds: Sequence[str]) -> bool:
        """Return whether a subject no longer exists.

        A town that is no municipality any more is still there. A place that is replaced may have
        lost a role only: Almaty is no longer the capital.
        """
        history = self._profiles.history
        if "place" in kinds:
            return _SETTLEMENT not in kinds and history.has_end(subject)
        return history.is_former(subject)

    def _is_excluded(self, subject: str) -> bool:
        """Return whether the relation asks nothing about items of a class of the subject."""
        excluded = read_toml("datasets/granola/levels/classes.toml")["not_asked"].get(
            self._relation.pid, {}
        )
        return not self._profiles.classes.stated(subject).isdisjoint(excluded)

    def _kind_of_phrase(self, label: str, kinds: Sequence[str], wording: Wording) -> str:
        """Return the kind whose rules say how a question calls an item of some ``kinds``."""
        if wording.name not in ("", _ANY_KIND) and self._kinds[wording.name].phrases:
            return wording.name
        if DISTRICT in kinds and label in self._kinds[DISTRICT].phrase(label):
            return DISTRICT
        kind = next((name for name in kinds if name != _BUILDING), None)
        kind = kind or self._kind_of_unknown(label)
        is_other = kind in WORKS and kind not in self._relation.subject_kinds
        return _ORGANISATION if is_other and _ORGANISATION in kinds else kind  # a newspaper

    def _kind_of_unknown(self, label: str) -> str:
        """Return a kind for an item of no kind: one with an article for its label, if any has."""
        usual = self._relation.subject_kinds[0]
        kinds = [usual] if usual == PERSON else [usual, _ANY_KIND, _ORGANISATION]
        return next((kind for kind in kinds if self._kinds[kind].phrase(label) != label), usual)

    def _makers(self, subject: str, kind: str) -> list[str]:
        """Return who made a work whose date or place is in question: there may be a remake."""
        asks = self._relation.object_kinds == DATE or self._relation.pid in _WHERE
        if not asks or kind not in WORKS:
            return []
        triples = self._profiles.makers(subject)
        makers = [self._profiles.label(triple.object) for triple in triples]
        if not makers and (match := _MAKER.search(self._labels.description(subject) or "")):
            makers = [match[1]]
        return makers if len(makers) <= _MAX_MAKERS and all(makers) else []

    def _template(self, subject: str, template: str) -> str:
        """Return the template that suits the answers, or ``template`` if none does.

        It names the noun of all works that somebody is known for, or the sex of several spouses.

        Raises:
            Rejected: the relation has templates for the answers, and none fits.
        """
        pid, profiles = self._relation.pid, self._profiles
        answers = profiles.facts(subject).get(pid, ())
        if pid in _WORDINGS["of_classes"] and answers:
            classes_of_each = [*map(profiles.classes.all_of, answers)]
            for question, classes in _WORDINGS["of_classes"][pid].items():
                if not any(of_answer.isdisjoint(classes) for of_answer in classes_of_each):
                    return str(question)
            raise Rejected("wrong kind", "no noun fits all works")
        if pid in _WORDINGS["of_several"] and len(answers) >= _SEVERAL:
            templates: dict[str, str] = _WORDINGS["of_several"][pid]
            first, *others = {
                sex for item in answers for sex in profiles.values(item, SEX) or ("",)
            }
            return templates["any"] if others else templates.get(first, templates["any"])
        return template


def _with_makers(phrase: str, makers: Sequence[str], film: str) -> str:
    """Return the title of a work with its makers, and with a noun if it is a film.

    >>> _with_makers('"Fargo"', ["the Coen brothers"], "film")
    'the Coen brothers film "Fargo"'
    >>> _with_makers('"Omen"', ["Ann Lee", "Bo Ray"], "")
    '"Omen" by Ann Lee and Bo Ray'
    """
    if film and len(makers) == 1:
        return f"the {makers[0].removeprefix('the ')} {film} {phrase}"
    work = f"the {film} {phrase}" if film else phrase
    return f"{work} by {' and '.join(makers)}"
