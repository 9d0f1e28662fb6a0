"""Write the questions about the subjects of a relation."""

import re
import unicodedata
from collections.abc import Sequence

from kgbuild.catalog import catalog
from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.classes import CLASS
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.musicians import is_ensemble, makes_music
from kgbuild.datasets.granola.phrases import DISTRICT
from kgbuild.datasets.granola.present_day import may_have_ended
from kgbuild.datasets.granola.printed_names import part_and_whole
from kgbuild.datasets.granola.questions.item_labels import item_label
from kgbuild.datasets.granola.questions.namesakes import PERSON, WORKS
from kgbuild.datasets.granola.questions.subject_names import SubjectNames
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.datasets.granola.school_questions import school_template
from kgbuild.datasets.granola.work_kinds import is_in_sentence_case
from kgbuild.english.articles import indefinite
from kgbuild.english.templates import agreeing, closed, fill, goes_on, in_tense
from kgbuild.relations import Relation, Wording
from kgbuild.rows import Rejected
from kgbuild.store.arrays import Numbers

_SCREEN = "screen"
_RELIABLE_KINDS = {PERSON, _SCREEN}
"""Kinds whose items have reliable classes: a relation of other kinds does not apply to them."""
_ANY_KIND, _ORGANISATION, _TEAM, _BUILDING = "thing", "organisation", "team", "building"
_SUBJECT = "{subject}"
_SETTLEMENT = "city"
_WORDS = read_toml("granola", "questions/question_texts")


def _any_of(name: str) -> str:
    """Return a pattern for the words of a list."""
    return f"(?:{'|'.join(map(re.escape, _WORDS[name]))})"


_FORMER_SETTLEMENT = re.compile(rf"\b{_any_of('settlements')}\b")
_COMPOSER = "P86"
_INCEPTION, _SEX, _EDUCATION = "P571", "P21", "P69"
_ENDED = re.compile(rf"\b\d{{4}} ?[-–—] ?\d{{4}}\b|\b{_any_of('ended')}\b")
"""Years, and words, of descriptions of what has ended."""
_WITHOUT_ARTICLE = re.compile(
    rf"^(?!{_any_of('cities')}){_any_of('articles')} |\b{_any_of('last_words')}$"
    rf"|^(?!.*\b{_any_of('parts')}\b)[\w.' –-]+ University (?:of (?!the )|in )?[A-Z]"
    r"|^University College |\bCollege of (?:Music|Art)\b"
    rf"|{_WORDS['bare_names']}"
)
"""Names of organisations that have no article for sure."""
_RECURRING, _EDITION = "recurring", re.compile(r"\d")
"""The kind of events that take place again and again, and what the names of single ones have."""
_EVENT, _WHERE_IS = (
    re.compile(r"^\d{4} |^\d+(?:st|nd|rd|th) .* "),
    ("Where [was|is] {subject} located?",),
)
"""The names of events: "2008 NBA Draft"; they are not located anywhere."""
_WHERE = {"P131", "P276"}
_WRITING = "writing"
_TELEFILM, _FILM = "telefilm", "film"
_TELEVISION_FILM, _TELEVISION_SPECIAL = "television film", "television special"
_SPECIAL = re.compile(r"\b(?:television|TV) special\b")
_MADE_FOR_TELEVISION = re.compile(r"\b(?:television|TV) (?:film|movie|special)\b")
"""What a description says of a film whose class does not say that it aired."""
_ENSEMBLE, _RECORD_LABEL = "ensemble", "P264"
_LAST_FILM = re.compile(r"\bfilm$")
_CATEGORY = "Category:"
"""The beginning of the labels of pages of Wikipedia that group others."""
_UNWORDED = {"field", "burial", "disease"}
"""Kinds without rules for articles; their items are of other kinds, too: churches, universities."""
_MISPRINTED = re.compile(r" [:;]|\w{4,}\.$")
"""A space before a colon, and a period after the last word: titles out of catalogues."""
_MAX_MAKERS = _SEVERAL = 2
_MAKERS, _KNOWN = {"P50", "P175"}, 10
"""The relations that ask who wrote or performed a work, and the statements about a known one."""
_SIBLINGS = re.compile(r"^(?!The |the ).* (?:[Bb]rothers|[Ss]isters)$")
_MAKER = re.compile(
    r"\b(?:by|directed by) ([A-Z](?:(?! and [a-z]| for )[^,;()])+)(?= and [a-z]| for |$)"
)
"""The maker of a work in its description: "2012 film by Joe Wright"."""

_NO_DIRECTOR = re.compile(rf"\b{_any_of('no_directors')} by .*$")
"""Who made a part of a film: "1970 film written by Erich Segal"."""


class QuestionTexts:
    """The questions about the subjects of a relation, by their labels.

    ``people`` are the numbers of people: see ``SubjectNames``.
    """

    def __init__(self, relation: Relation, people: Numbers, profiles: Profiles):
        self._relation = relation
        self._profiles = profiles
        self._names = SubjectNames(relation, people, profiles)

    def question(self, subject: str) -> str:
        """Return the question about a subject.

        Raises:
            Rejected: the subject has no unique name, or no question suits its kind.
        """
        label, kinds = self._name(subject)
        wording = self._relation.question(kinds)
        is_event = _EVENT.search(label) and wording.templates[:1] == _WHERE_IS
        if not wording.templates or is_event or self._is_excluded(subject, label):
            raise Rejected("wrong kind", ", ".join(kinds))
        kind = self._kind_of_phrase(label, kinds, wording)
        phrase = self._phrase(subject, label, kind)
        template = self._template(subject, label, kinds, wording)
        are_players = kind == _TEAM and phrase != label and not label.endswith(" team")
        template = agreeing(template, phrase, are_many=are_players)
        phrase = self._described(subject, label, kinds, kind, phrase, template)
        return fill(template, {_SUBJECT: phrase})

    def _name(self, subject: str) -> tuple[str, Sequence[str]]:
        """Return the name of a subject, and its kinds.

        Raises:
            Rejected: the subject has no name, or the relation does not apply to its kinds.
        """
        label = item_label(self._profiles.labels, subject)
        kinds = self._profiles.described_kinds(subject)
        if not kinds and self._relation.subject_kinds == (PERSON,):
            kinds = [PERSON]  # nothing but the relation says what it is
        description = self._profiles.labels.description(subject) or ""
        if not kinds and is_ensemble(self._profiles, subject):
            kinds = [_ENSEMBLE]
        is_word = label.islower() and PERSON not in kinds  # "game", an organisation
        is_name = label and not label.startswith(_CATEGORY) and not label.endswith(")")
        if not is_name or is_word or any(map(unicodedata.combining, label)):  # "Spın̈al Tap"
            raise Rejected("no label", label or subject)
        if _EDITION.search(label):
            kinds = [kind for kind in kinds if kind != _RECURRING]
        if _SCREEN in kinds and _MADE_FOR_TELEVISION.search(description):
            kinds = [*kinds, _TELEFILM]
        subject_kinds = {*self._relation.subject_kinds}
        if _RELIABLE_KINDS & {*kinds} and not {*kinds, _ANY_KIND} & subject_kinds:
            raise Rejected("wrong kind", ", ".join(kinds))
        return self._profiles.printed_name(subject, label, kinds), kinds

    def _phrase(self, subject: str, label: str, kind: str) -> str:
        """Return the name of a subject in a sentence, by the rules of a kind.

        Raises:
            Rejected: English texts do not print it so, or nobody knows whether it has an article.
        """
        is_misprinted = kind in WORKS and _MISPRINTED.search(label)
        if is_misprinted or not catalog().kinds[kind].fits(label):
            raise Rejected("wrong kind", label)
        is_known = self._profiles.popularity(subject) >= _KNOWN
        if kind == _WRITING and not is_known and is_in_sentence_case(label):
            raise Rejected("unusual name", f"{label} is out of a catalogue")
        phrase = catalog().kinds[kind].phrase(label)
        if ", " in phrase and kind != PERSON and part_and_whole(label):
            raise Rejected("unusual name", label)
        if self._needs_article(label, phrase, kind):
            raise Rejected("no article", label)
        return phrase

    def _apposition(self, subject: str, label: str, kinds: Sequence[str], kind: str) -> str:
        """Return the phrase that tells a subject from others; empty if it needs none.

        Raises:
            Rejected: only its title would name a little-known work.
        """
        apposition = self._names.apposition(subject, label, kinds)
        is_named = kind not in WORKS or self._relation.pid in _MAKERS
        if not (apposition or is_named) and self._profiles.popularity(subject) < _KNOWN:
            raise Rejected("same name", f"nothing tells {label} from other works")
        return apposition

    def _described(
        self, subject: str, label: str, kinds: Sequence[str], kind: str, phrase: str, template: str
    ) -> str:
        """Return the phrase for a subject with its makers, or with what tells it from others."""
        film = self._film_noun(subject, kinds)
        if makers := self._makers(subject, kind):
            noun = film if self._profiles.is_film(subject) else ""
            return closed(_with_makers(phrase, makers, noun), template, _SUBJECT)
        apposition = self._apposition(subject, label, kinds, kind)
        if apposition and kind in WORKS:
            if film not in apposition:
                apposition = _LAST_FILM.sub(film, apposition)
            return closed(f"{apposition} {phrase}", template, _SUBJECT)
        if not apposition:
            return closed(phrase, template, _SUBJECT)
        end = "," if goes_on(template, _SUBJECT) else ""
        return f"{phrase}, {apposition}{end}"

    def _film_noun(self, subject: str, kinds: Sequence[str]) -> str:
        """Return the noun for a film: "television special" if the description has it."""
        if _TELEFILM not in kinds:
            return _FILM
        is_special = _SPECIAL.search(self._profiles.labels.description(subject) or "")
        return _TELEVISION_SPECIAL if is_special else _TELEVISION_FILM

    def _template(self, subject: str, label: str, kinds: Sequence[str], wording: Wording) -> str:
        """Return the template of a question about a subject, in its tense.

        Raises:
            Rejected: it would speak in the present of a company that may have ended.
        """
        is_past = self._is_past(subject, kinds)
        if not is_past and may_have_ended(self._profiles, self._relation.pid, subject, kinds):
            raise Rejected("outdated", f"{label} may no longer exist")
        return in_tense(self._template_for_answers(subject, wording.templates[0]), is_past)

    def _is_past(self, subject: str, kinds: Sequence[str]) -> bool:
        """Return whether a subject no longer exists.

        A settlement that is no municipality any more is still there, and a place that is replaced
        may have lost a role: Almaty is no longer the capital.
        """
        history = self._profiles.history
        description = self._profiles.labels.description(subject) or ""
        if "place" in kinds:
            is_settlement = _SETTLEMENT in kinds or _FORMER_SETTLEMENT.search(description)
            return not is_settlement and history.has_end(subject)
        return history.is_former(subject) or bool(_ENDED.search(description))

    def _needs_article(self, label: str, phrase: str, kind: str) -> bool:
        """Return whether it is unknown if the name of an organisation has an article.

        Most subjects of P571 are little known, and have names that describe them.
        """
        is_unsure = kind == _ORGANISATION and phrase == label and self._relation.pid == _INCEPTION
        return is_unsure and " " in label and not _WITHOUT_ARTICLE.search(label)

    def _is_excluded(self, subject: str, label: str) -> bool:
        """Return whether the relation asks nothing about items like the subject.

        They have its class, or a word of its name or its description.
        """
        tables = read_toml("granola", "levels/classes")
        pid = self._relation.pid
        description = self._profiles.labels.description(subject) or ""
        texts = {"not_named": label, "not_described": description}
        if any(pid in tables[name] and re.search(tables[name][pid], texts[name]) for name in texts):
            return True
        excluded = tables["not_asked"].get(pid, {})
        classes = self._profiles.classes
        return bool(excluded) and any(
            not classes.closure(class_qid).isdisjoint(excluded) for class_qid in classes.of(subject)
        )

    def _kind_of_phrase(self, label: str, kinds: Sequence[str], wording: Wording) -> str:
        """Return the kind whose rules say how a question calls an item of some ``kinds``."""
        if wording.name not in ("", _ANY_KIND) and catalog().kinds[wording.name].phrases:
            return wording.name
        if DISTRICT in kinds and label in catalog().kinds[DISTRICT].phrase(label):
            return DISTRICT
        kinds = [name for name in kinds if name != _BUILDING]
        kind, *others = kinds or self._kinds_of_unknown(label)
        if kind in WORKS and _ORGANISATION in others and kind not in self._relation.subject_kinds:
            return _ORGANISATION  # a company with a website, or a newspaper
        return next(iter(others), _ORGANISATION) if kind in _UNWORDED else kind

    def _kinds_of_unknown(self, label: str) -> list[str]:
        """Return a kind for an item of no kind: one with an article for its label, if any has."""
        usual = self._relation.subject_kinds[0]
        kinds = [usual] if usual == PERSON else [usual, _ANY_KIND, _ORGANISATION]
        has_article = [kind for kind in kinds if catalog().kinds[kind].phrase(label) != label]
        return [*has_article, *kinds][:1]

    def _makers(self, subject: str, kind: str) -> list[str]:
        """Return who made a work whose date or place is in question: there may be a remake."""
        asks = self._relation.object_kinds == DATE or self._relation.pid in _WHERE
        if not asks or kind not in WORKS:
            return []
        labels = self._profiles.labels
        triples = self._profiles.makers(subject)
        makers = [item_label(labels, triple.object) for triple in triples]
        description = labels.description(subject) or ""
        if self._profiles.is_film(subject):
            description = _NO_DIRECTOR.sub("", description)
        if not makers and (match := _MAKER.search(description)):
            makers = [match[1]]
        is_short = len(makers) <= _MAX_MAKERS and all(makers)
        named = [f"the {name}" if _SIBLINGS.search(name) else name for name in makers]
        return named if is_short else []

    def _template_for_several(self, subject: str) -> str:
        """Return the template for somebody with several answers, such as wives, or "".

        It names the sex of the answers if all have the same one.
        """
        pid, facts = self._relation.pid, self._profiles.facts
        templates: dict[str, str] = _WORDS["several"].get(pid, {})
        answers = facts(subject).get(pid, ()) if templates else ()
        if len(answers) < _SEVERAL:
            return ""
        first, *others = {sex for item in answers for sex in facts(item).get(_SEX, ("",))}
        return templates["any"] if others else templates.get(first, templates["any"])

    def _template_for_answers(self, subject: str, template: str) -> str:
        """Return a template with the noun of the answers instead of a wider one.

        The film that an actor is known for, not the work, if all answers are films; a wife of
        somebody who had several.
        """
        relation, classes = self._relation, self._profiles.classes
        if template in relation.granola and (several := self._template_for_several(subject)):
            return several
        if relation.pid == _RECORD_LABEL and not makes_music(self._profiles, subject):
            return template.replace(" music by", " recordings by")
        if relation.pid == _EDUCATION:
            golds = self._profiles.facts(subject).get(_EDUCATION, ())
            return school_template(self._profiles, golds, template)
        for wide, nouns in (
            read_toml("granola", "levels/classes")["nouns"].get(relation.pid, {}).items()
        ):
            values = self._profiles.facts(subject).get(relation.pid, ())
            if any(subject in self._profiles.values(value, _COMPOSER) for value in values):
                raise Rejected("wrong kind", "a film that somebody composed the music for")
            above = [
                frozenset[str]().union(
                    *(classes.closure(class_qid) for _, class_qid in classes.direct(value, CLASS))
                )
                for value in values
            ]
            for noun, class_qids in nouns.items():
                if above and not any(closure.isdisjoint(class_qids) for closure in above):
                    return template.replace(indefinite(wide), indefinite(noun))
            raise Rejected("wrong kind", "no noun fits all works")
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
