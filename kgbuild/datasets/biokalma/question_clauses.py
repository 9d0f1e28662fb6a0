"""Make the clauses of questions: clauses that share their words become one.

A clause such as "where did {he} study" has a question phrase (where), an auxiliary (did), a place
for its subject and a rest (study). Clauses that share all but one of these can become one clause:
"when and where was Ann born", "what were Ann's voice and religion".

Source of this step (aggregation): E. Reiter and R. Dale, Building Natural Language Generation
Systems, 2000, chapter 5.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.datasets.biokalma.clauses import Mention, Predicate, Subject, fill_names, resolve
from kgbuild.datasets.biokalma.joining import join_phrases, join_rests
from kgbuild.datasets.biokalma.lexicon import Lexicon

_PLURAL = {"was": "were", "is": "are", "has": "have", "does": "do"}
_PARTS = re.compile(
    r"(?P<phrase>.+) (?P<auxiliary>was|is|were|are|did|does|do|has|have) (?P<place>\{he\}|\{his\})"
    r"(?P<rest>.*)"
)
_PLACE = re.compile(r"(?P<phrase>.*?)(?P<place>\{h\w+\})(?P<rest>.*)")


class Clause(NamedTuple):
    """A question about one subject or about both: its parts, of which one may be several.

    ``of_people`` is whether an answer names a person: then a later pronoun might mean this person.
    """

    phrases: tuple[str, ...]
    auxiliary: str
    place: str
    rests: tuple[str, ...]
    of_people: bool = False

    @property
    def words(self) -> tuple[object, ...]:
        """All parts."""
        return self[:4]

    @property
    def end(self) -> tuple[object, ...]:
        """The parts that clauses with the same predicate share; a clause without verb has none."""
        return self[1:4] if self.auxiliary else self[:4]

    def text(self, mention: Mention, is_plural: bool = False) -> str:
        """Return the clause with a mention of its subject, which is plural for both subjects."""
        auxiliary = self.auxiliary
        if (is_plural and self.place == "{he}") or (self.place == "{his}" and len(self.rests) > 1):
            auxiliary = _PLURAL.get(auxiliary, auxiliary)
        parts = (join_phrases(self.phrases), auxiliary, self.place)
        template = " ".join(filter(None, parts)) + join_rests(self.rests)
        # "Thomas Cruise, Jr." needs a comma before a verb, but not before an end.
        texts = {self.place: mention[self.place]} if self.place else {}
        return fill_names(template, texts, ("{his}",))


def make_clause(predicate: Predicate, subject: Subject, template: str = "") -> Clause:
    """Return the question for a predicate; ``template`` replaces that of its wording."""
    question = resolve(template or predicate.wording.asks, subject, predicate)
    match = _PARTS.fullmatch(question) or _PLACE.fullmatch(question)
    if match is None:  # "what was each one's motto" has no place
        return Clause((question,), "", "", (), predicate.of_people)
    parts = match.groupdict(default="")
    rest = parts["rest"]
    if predicate.in_turn:  # "whom did Ann teach in turn", "who were Ann's own students"
        rest = f" own{rest}" if parts["place"] == "{his}" else f"{rest} in turn"
    phrase = parts["phrase"].rstrip()
    return Clause(
        (phrase,), parts.get("auxiliary", ""), parts["place"], (rest,), predicate.of_people
    )


def make_clauses(
    lexicon: Lexicon, subject: Subject, predicates: Sequence[Predicate]
) -> list[Clause]:
    """Return the clauses of predicates about one subject, in the order of their first predicates.

    ``lexicon.together`` has the questions for two predicates with one value each.
    """
    single = {predicate.pid: predicate for predicate in predicates}
    templates = {pid: predicate.wording.asks for pid, predicate in single.items()}
    for joint in lexicon.together:
        pair = [single[pid] for pid in joint.properties if pid in templates]
        are_single = all(len(predicate.values) == 1 and not predicate.in_turn for predicate in pair)
        if joint.asks and len(pair) == len(joint.properties) and are_single:
            _fuse(templates, joint.properties, joint.asks)
    return _aggregate([make_clause(single[pid], subject, text) for pid, text in templates.items()])


def make_plural_clauses(
    lexicon: Lexicon, subject: Subject, predicates: Sequence[Predicate]
) -> list[Clause]:
    """Return the clauses of predicates about both subjects; ``subject`` has the tense of both."""
    by_pid = {predicate.pid: predicate for predicate in predicates}
    templates = {
        pid: predicate.wording.asks_both or predicate.wording.asks
        for pid, predicate in by_pid.items()
    }
    for joint in lexicon.together:
        if joint.asks_both and templates.keys() >= {*joint.properties}:
            _fuse(templates, joint.properties, joint.asks_both)
    return _aggregate([make_clause(by_pid[pid], subject, text) for pid, text in templates.items()])


def _fuse(templates: dict[str, str], pids: tuple[str, str], template: str) -> None:
    """Replace the templates of two properties by one, at the place of the first property."""
    first, second = pids
    templates[first] = template
    del templates[second]


def _aggregate(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses in which those with the same predicate, then nouns of one owner, are one."""
    by_predicate: dict[object, Clause] = {}
    for number, clause in enumerate(clauses):
        key = clause.end if clause.auxiliary else number
        if partner := by_predicate.get(key):
            phrases = (*partner.phrases, *clause.phrases)
            of_people = partner.of_people or clause.of_people
            by_predicate[key] = partner._replace(phrases=phrases, of_people=of_people)
        else:
            by_predicate[key] = clause
    by_phrase: dict[object, Clause] = {}
    for number, clause in enumerate(by_predicate.values()):
        is_noun = clause.place == "{his}" and clause.phrases == ("what",)
        key = clause[:3] if is_noun and clause.auxiliary else number
        if partner := by_phrase.get(key):
            by_phrase[key] = partner._replace(rests=(*partner.rests, *clause.rests))
        else:
            by_phrase[key] = clause
    return list(by_phrase.values())
