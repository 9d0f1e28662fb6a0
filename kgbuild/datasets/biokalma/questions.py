"""Write questions from clauses: clauses that share their words become one.

A clause such as "where did {he} study" has a question phrase (where), an auxiliary (did), a place
for its subject and a rest (study). Clauses that share all but one of these become one clause:
"when and where was Ann born", "where did Ann study and die". Clauses that both subjects share are
asked of "each", or of "both" if the values are equal.

Source of the steps (aggregation, referring expressions, realisation): E. Reiter and R. Dale,
Building Natural Language Generation Systems, 2000, chapter 5.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kgbuild.datasets.biokalma.clauses import (
    Description,
    Mention,
    Predicate,
    Subject,
    by_name,
    capitalise,
    fill_names,
    in_tense,
    join,
    resolve,
)
from kgbuild.datasets.biokalma.joining import join_long, join_phrases, join_rests
from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.datasets.biokalma.mentions import joint_name

_MAX_IN_SENTENCE = 2
"""Maximum number of clauses after an opening; with more of them, a second sentence begins."""
_MAX_WORDS = 26
"""Maximum number of words of a sentence with one more clause than that."""
_EACH: Mention = {"{he}": "each", "{him}": "each", "{his}": "each one's"}
_BOTH: Mention = {"{he}": "both", "{him}": "both", "{his}": "their"}
_PLURAL = {"was": "were", "is": "are", "has": "have", "does": "do"}
_PARTS = re.compile(
    r"(?P<phrase>.+) (?P<auxiliary>was|is|were|are|did|does|do|has|have) (?P<place>\{he\}|\{his\})"
    r"(?P<rest>.*)"
)
_PLACE = re.compile(r"(?P<phrase>.*?)(?P<place>\{h\w+\})(?P<rest>.*)")
_SHARED_ADVERB = "where"
"""The question phrase that several predicates can share: "where did Ann study and die"."""


class Clause(NamedTuple):
    """A question about one subject: its parts, of which one may be several.

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

    @property
    def fits_both(self) -> bool:
        """Whether it can be asked of both: "what was their faith", not "when did their run end"."""
        return self.place != "{his}" or self.phrases == ("what",)

    def text(self, mention: Mention) -> str:
        """Return the clause, with a mention of its subject."""
        auxiliary = self.auxiliary
        is_plural = mention is _BOTH and self.place == "{he}"
        if is_plural or (self.place == "{his}" and len(self.rests) > 1):
            auxiliary = _PLURAL.get(auxiliary, auxiliary)
        parts = (join_phrases(self.phrases), auxiliary, self.place)
        template = " ".join(filter(None, parts)) + join_rests(self.rests)
        # "Thomas Cruise, Jr." needs a comma before a verb, but not before an end.
        return fill_names(template, {self.place: mention[self.place]}, ("{his}",))


def write_specific_question(
    lexicon: Lexicon, opening: str, descriptions: Sequence[Description]
) -> str:
    """Return the question that asks for each predicate, in one or two sentences.

    ``opening`` is the template of its first clause, which names the two subjects; without it, the
    question is about the first subject alone.
    """
    (first, first_predicates), (second, second_predicates) = descriptions
    if not opening:
        clauses = _clauses(lexicon, first, first_predicates)
        return _sentence(_mentioned(first, clauses, by_name(first.name)))
    shared, first_rest, second_rest = _divide(first_predicates, second_predicates, first, second)
    runs = [
        [clause.text(mention) for clause in _clauses(lexicon, first, predicates)]
        for mention, predicates in shared
    ]
    common = [*itertools.chain.from_iterable(runs)]
    own = [
        [*_mentioned(subject, _clauses(lexicon, subject, predicates), subject.by_short_name, other)]
        for subject, predicates, other in (
            (first, first_rest, second),
            (second, second_rest, first),
        )
    ]
    start = write_opening(opening, first, second)
    texts = [*common, *own[0], *own[1]]
    sentence = _sentence([start, *texts])
    is_short = len(texts) == _MAX_IN_SENTENCE + 1 and len(sentence.split()) <= _MAX_WORDS
    if is_short or len(texts) <= _MAX_IN_SENTENCE:
        return sentence
    head, *tail = [group for group in (common, *own) if group]
    if not tail:
        head, tail = head[:_MAX_IN_SENTENCE], [head[_MAX_IN_SENTENCE:]]
    return f"{_sentence([start, *head])} {_sentence(itertools.chain(*tail))}"


def write_general_question(
    template: str,
    opening: str,
    subjects: tuple[Subject, Subject],
    words: Mapping[str, tuple[str, str]],
    names: tuple[Sequence[str], Sequence[str]],
    questions: Mapping[str, str],
) -> str:
    """Return the question that names only themes and topics: "their births and Lee's career".

    ``words`` has the noun phrases by name, singular and plural; ``names`` has the themes and topics
    of each subject, of which some may be shared. ``questions`` are by theme: one of them replaces
    the words of ``template`` if both subjects have this theme and no other.
    """
    first, second = names
    if [*first] == [*second] and len(first) == 1 and first[0] in questions:
        is_past = bool(subjects[0].is_past or subjects[1].is_past)
        question = in_tense(questions[first[0]], is_past)
        return _sentence([write_opening(opening, *subjects), question])
    shared = [topic for topic in first if topic in second]
    phrases = [f"their {join([words[topic][1] for topic in shared])}"] if shared else []
    for subject, of_subject in zip(subjects, names, strict=True):
        if own := [words[topic][0] for topic in of_subject if topic not in shared]:
            phrases.append(f"{subject.by_short_name['{his}']} {join(own)}")
    is_simple = len(phrases) < 3 and not any(" and " in phrase for phrase in phrases)
    topics = join(phrases) if is_simple else join_long(phrases)
    texts = {"{opening}": write_opening(opening, *subjects), "{topics}": topics}
    return capitalise(fill_names(template, texts, texts))


def write_opening(template: str, first: Subject, second: Subject) -> str:
    """Return an opening without question mark, in the past tense if a subject is past.

    Names with a common end share it: "Robin and Maurice Gibb".
    """
    text = in_tense(template, bool(first.is_past or second.is_past)).removesuffix("?")
    both = joint_name(first.name, second.name)
    if both and "{subject} and {object}" in text:
        return fill_names(text.replace("{subject} and {object}", "{both}"), {"{both}": both})
    return fill_names(text, {"{subject}": first.name, "{object}": second.name})


def _divide(
    first: Sequence[Predicate], second: Sequence[Predicate], subject: Subject, other: Subject
) -> tuple[list[tuple[Mention, list[Predicate]]], list[Predicate], list[Predicate]]:
    """Return the predicates of which both can be asked, by their mention, and those of each.

    Both can be asked if the two questions have the same words.
    """
    by_pid = {predicate.pid: predicate for predicate in second}
    shared: list[Predicate] = []
    for predicate in first:
        partner = by_pid.get(predicate.pid)
        if partner and _reads_like(predicate, subject, partner, other):
            shared.append(predicate)
    pids = {predicate.pid for predicate in shared}
    ends = {
        clause.end
        for predicate in shared
        for clause in [_clause(predicate, subject)]
        if {*predicate.values} != {*by_pid[predicate.pid].values} or not clause.fits_both
    }
    # "When and where was each born", though both were born in one town.
    each = [predicate for predicate in shared if _clause(predicate, subject).end in ends]
    runs = [(_EACH, each), (_BOTH, [predicate for predicate in shared if predicate not in each])]
    return (
        runs,
        [predicate for predicate in first if predicate.pid not in pids],
        [predicate for predicate in second if predicate.pid not in pids],
    )


def _reads_like(first: Predicate, subject: Subject, second: Predicate, other: Subject) -> bool:
    """Return whether the questions for two predicates have the same words."""
    is_in_turn = first.in_turn or second.in_turn
    clauses = _clause(first, subject), _clause(second, other)
    return not is_in_turn and clauses[0].words == clauses[1].words


def is_parallel(first: Predicate, second: Predicate) -> bool:
    """Return whether one clause can ask both subjects for two predicates, whatever the tenses."""
    return _reads_like(first, Subject(""), second, Subject(""))


def _clauses(lexicon: Lexicon, subject: Subject, predicates: Sequence[Predicate]) -> list[Clause]:
    """Return the clauses of predicates, in the order of the first predicate of each."""
    single = {predicate.pid: predicate for predicate in predicates}
    asks = {pid: predicate.wording.asks for pid, predicate in single.items()}
    for joint in lexicon.together:
        first, second = joint.properties
        if joint.asks and first in asks and second in asks:
            pair = (single[first], single[second])
            if all(len(predicate.values) == 1 and not predicate.in_turn for predicate in pair):
                asks[first] = joint.asks
                del asks[second]
    clauses = [_clause(single[pid], subject, template) for pid, template in asks.items()]
    return _aggregate(clauses)


def _clause(predicate: Predicate, subject: Subject, template: str = "") -> Clause:
    """Return the question for a predicate; ``template`` replaces that of its wording."""
    question = resolve(template or predicate.wording.asks, subject, predicate)
    match = _PARTS.fullmatch(question) or _PLACE.fullmatch(question)
    if match is None:
        raise ValueError(question)
    parts = match.groupdict(default="")
    rest = parts["rest"]
    if predicate.in_turn:  # "whom did Ann teach in turn", "who were Ann's own students"
        rest = f" own{rest}" if parts["place"] == "{his}" else f"{rest} in turn"
    phrase = parts["phrase"].rstrip()
    return Clause(
        (phrase,), parts.get("auxiliary", ""), parts["place"], (rest,), predicate.of_people
    )


def _aggregate(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses in which those with the same predicate, then the same adverb, are one."""
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
        is_adverb = clause.place == "{he}" and clause.phrases == (_SHARED_ADVERB,)
        is_noun = clause.place == "{his}" and clause.phrases == ("what",)
        can_share = bool(clause.auxiliary) and len(clause.phrases) == 1 and (is_adverb or is_noun)
        key = clause[:3] if can_share else number
        if partner := by_phrase.get(key):
            by_phrase[key] = partner._replace(rests=(*partner.rests, *clause.rests))
        else:
            by_phrase[key] = clause
    return list(by_phrase.values())


def _mentioned(
    subject: Subject, clauses: Sequence[Clause], mention: Mention, other: Subject | None = None
) -> Iterator[str]:
    """Yield clauses about one subject: after the first mention, it has its pronoun if clear.

    It is not clear if ``other``, the second subject of the question, has or may have the same one.
    """
    is_unlike = other is None or other.pronoun not in ("", subject.pronoun)
    for clause in clauses:
        yield clause.text(mention)
        mention = subject.later_mention(is_unlike and not clause.of_people)


def _sentence(clauses: Iterable[str]) -> str:
    """Return clauses as one question: "A, B, and C?"."""
    return f"{capitalise(join_long([*clauses]))}?"
