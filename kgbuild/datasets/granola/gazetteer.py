"""The names of all answers in a dataset, by which a scorer recognises another answer.

"Portland, Oregon" is not the Portland of Maine: the answers to other questions say that Oregon is
a place, and that it lies in the United States, not in Maine.
"""

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.regions import regions
from kgbuild.datasets.granola.reply_words import AMERICAN_STATES, with_and
from kgbuild.datasets.granola.truths import TrueAnswer, Truth
from kgbuild.evaluate.text_metrics import normalise

_PLACE = "place"
_PRESENT = "present-day "
"""What the builder writes before the present name of a place."""


@functools.lru_cache(maxsize=2**17)
def place_name(text: str) -> str:
    """Return the normalised name of a place, without "present-day"."""
    return normalise(text.removeprefix("the ").removeprefix(_PRESENT))


def tails(answer: TrueAnswer) -> set[str]:
    """Return the places that the names of a place add after a comma: "Portland, Maine"."""
    parts = (name.partition(",") for name in answer.names if "," in name)
    return {place_name(tail.strip()) for _, _, tail in parts}


class Gazetteer:
    """The answers at level 1 by relation, and the places with the places around them."""

    def __init__(self, truths: Iterable[Truth]):
        self._finest: dict[str, set[str]] = defaultdict(set)
        self._with_places_only: Counter[str] = Counter()
        self._questions: Counter[str] = Counter()
        self._around: dict[str, set[str]] = defaultdict(set)
        self._states: set[str] = set()
        self._words: dict[str, set[str]] = {}
        self._demonyms: Mapping[str, str] = read_toml("granola", "demonyms")
        self.people: dict[str, str] = {
            people: people for people in map(normalise, self._demonyms.values())
        }
        """The normalised nationalities, by themselves and by the names of their states."""
        for qid, names in read_toml("granola", "state_names").items():
            self._add_people(qid, names)
        self._around |= {state: {"united states", "north america"} for state in AMERICAN_STATES}
        for region in itertools.chain.from_iterable(regions().values()):
            self._around[region.name].add(region.state)
        for truth in truths:
            if not truth.is_date:
                self._add(truth)
        self._longest: dict[str, int] = {}
        for name in {*self._around, *itertools.chain.from_iterable(self._finest.values())}:
            first, *others = name.split()
            self._longest[first] = max(self._longest.get(first, 0), 1 + len(others))

    def _add(self, truth: Truth) -> None:
        ordered = sorted(truth.answers, key=lambda answer: answer.level)
        finest = [answer for answer in ordered if answer.level == 1]
        coarser = [answer for answer in ordered if answer.level > 1]
        self._questions[truth.relation] += bool(coarser)
        places_only = {answer.kind for answer in coarser} == {_PLACE}
        self._with_places_only[truth.relation] += places_only
        for answer in finest:
            names = (*answer.names, *map(with_and, answer.names))
            self._finest[truth.relation].update(map(place_name, names))
        if len(finest) > 1:
            return  # which places are around which gold answer is not clear
        own = {None, *(answer.qid for answer in finest)}
        places = [a for a in coarser if a.kind == _PLACE and (a.of in own or own == {None})]
        self._add_chain([*(finest if places_only else ()), *places])

    def _add_chain(self, chain: Sequence[TrueAnswer]) -> None:
        """Add places, of which a coarser one lies around all finer ones."""
        names = [{*map(place_name, answer.names)} for answer in chain]
        for answer, own_names in zip(chain, names, strict=True):
            around: set[str] = set()
            for place, names_of_place in zip(chain, names, strict=True):
                if place.level > answer.level:
                    around |= names_of_place
            for name in own_names:
                self._around[name] |= around
            with_tails = around | tails(answer)
            for key in {self._key(answer), place_name(answer.text)}:
                self._around[key] |= with_tails
            if answer.is_state:
                self._states |= own_names
                self._add_people(answer.qid or "", answer.names)

    def _add_people(self, qid: str, names: Iterable[str]) -> None:
        """Add the nationality of a state by the names of the state."""
        if people := self._demonyms.get(qid):
            self.people.update(dict.fromkeys(map(place_name, names), normalise(people)))

    def _key(self, answer: TrueAnswer) -> str:
        """Return the id of a place, which its namesakes do not have; without an id, its name."""
        return answer.qid or place_name(answer.text)

    def longest(self, word: str) -> int:
        """Return the number of words of the longest name that begins with a word; 0 without any."""
        return self._longest.get(word, 0)

    def has_word(self, word: str, relation: str) -> bool:
        """Return whether a word belongs to the name of an answer; or of a place, if it is one."""
        if relation not in self._words:
            places = (*self._around, *self.people) if self.asks_for_place(relation) else ()
            names = itertools.chain(self._finest.get(relation, ()), places)
            self._words[relation] = {word for name in names for word in name.split()}
        return word in self._words[relation]

    def asks_for_place(self, relation: str) -> bool:
        """Return whether the coarser answers to most questions about a relation are places."""
        return 2 * self._with_places_only[relation] > self._questions[relation]

    def is_answer(self, name: str, relation: str) -> bool:
        """Return whether a normalised name is an answer to a question about a relation."""
        return name in self._finest.get(relation, ())

    def is_place(self, name: str) -> bool:
        """Return whether a normalised name is that of a place."""
        return name in self._around

    def places_called(self, name: str) -> list[str]:
        """Return the place with a normalised name, or the state of a nationality."""
        return [name] if self.is_place(name) else self._states_by_people.get(name, [])

    @functools.cached_property
    def _states_by_people(self) -> dict[str, list[str]]:
        """The names of the states of each nationality."""
        states: dict[str, list[str]] = defaultdict(list)
        for state, people in self.people.items():
            if self.is_place(state):
                states[people].append(state)
        return dict(states)

    def around(self, name: str) -> Set[str]:
        """Return the normalised names of the places around a place, and around its namesakes."""
        return self._around.get(name, set())

    def contains(self, name: str, answer: TrueAnswer) -> bool:
        """Return whether a place of this name is around a true answer, not only its namesakes."""
        around = self._around.get(self._key(answer), set())
        return name in around or any(name in self.around(place) for place in tails(answer))

    def is_located(self, answer: TrueAnswer) -> bool:
        """Return whether it is known what is around a true answer."""
        return bool(self._around.get(self._key(answer)))

    def is_within(self, name: str, answer: TrueAnswer) -> bool:
        """Return whether a place of this name lies in a true answer, at most two steps away."""
        names = {place_name(text) for text in answer.names}
        around = self.around(name)
        return not names.isdisjoint(around) or any(
            not names.isdisjoint(self.around(place)) for place in around
        )

    def has_state(self, name: str) -> bool:
        """Return whether a normalised name is that of a country, or of a place in one."""
        return name in self._states or not self._states.isdisjoint(self.around(name))

    def is_state(self, name: str) -> bool:
        """Return whether a normalised name is that of a country."""
        return name in self._states
