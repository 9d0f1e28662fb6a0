"""Complete the knowledge set of the general question, which names themes and topics."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.datasets.biokalma.lexicon import Lexicon
from kgbuild.datasets.biokalma.minimal import Minimality
from kgbuild.datasets.biokalma.pool import Fact

_MAX_OF_THEME = 6
"""Maximum number of facts about a subject that the name of a theme may ask for."""


class GeneralSet(NamedTuple):
    """What the general question names, by the id of the subject, and the facts it needs further."""

    names: dict[str, list[str]]
    further: list[Fact]


def generalise(
    lexicon: Lexicon,
    minimality: Minimality,
    knowledge: Sequence[Fact],
    joining: int,
    pool: Sequence[Fact],
) -> GeneralSet:
    """Return what the general question names, and the facts that only this question needs.

    The names are the themes of the set ``knowledge``, or topics of large themes; the first
    ``joining`` facts of the set join the subjects. The facts of the pool complete the names, as far
    as the set stays minimal with them.
    """

    def asks_for(fact: Fact) -> bool:
        return fact.pid in lexicon.properties and fact.pid not in lexicon.unasked

    names: dict[str, list[str]] = defaultdict(list)
    topics: dict[str, set[str]] = defaultdict(set)
    facts = knowledge[joining:]
    set_topics = {lexicon.topic(fact.pid) for fact in facts}
    topic_counts = Counter(lexicon.themes[topic] for topic in set_topics)
    for fact in sorted(facts, key=lambda fact: lexicon.wording(fact.pid, "").position):
        name = theme = lexicon.theme(fact.pid)
        of_theme = (other for other in pool if lexicon.theme(other.pid) == theme)
        sizes = Counter(other.qid for other in of_theme if asks_for(other))
        is_small = theme in lexicon.theme_words and max(sizes.values(), default=0) <= _MAX_OF_THEME
        if is_small and (theme not in lexicon.broad_themes or topic_counts[theme] > 1):
            named = {topic for topic, of_topic in lexicon.themes.items() if of_topic == theme}
        else:
            name = lexicon.topic(fact.pid)
            named = {name}
        if name not in names[fact.qid]:
            names[fact.qid].append(name)
        topics[fact.qid] |= named
    further: list[Fact] = []
    for fact in pool:
        is_named = lexicon.topic(fact.pid) in topics[fact.qid] and asks_for(fact)
        is_new = is_named and fact not in knowledge
        if is_new and not minimality.redundant([*knowledge, *further, fact]):
            further.append(fact)
    joined = {qid: _join_topics(lexicon, of_subject) for qid, of_subject in names.items()}
    return GeneralSet(joined, further)


def _join_topics(lexicon: Lexicon, names: Sequence[str]) -> list[str]:
    """Return names with joint topics in place of the two topics of each."""
    joined = list(names)
    for name, joint in lexicon.joint_topics.items():
        first, second = joint.topics
        if {first, second} <= {*joined}:
            joined[joined.index(first)] = name
            joined.remove(second)
    return joined
