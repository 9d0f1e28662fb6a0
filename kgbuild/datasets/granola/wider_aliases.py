"""Tell which aliases of a place name a wider area, such as "Yorkshire" for Bradford.

Wikidata writes "Bradford, Yorkshire" as two aliases now and then.
"""

from collections.abc import Iterator

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.gazetteer import place_name
from kgbuild.datasets.granola.regions import bare_name, regions
from kgbuild.datasets.granola.truths import TrueAnswer

_AREAS = frozenset(
    name
    for names in read_toml("granola", "wider_areas").values()
    for name in map(place_name, names)
)


def wider_aliases(answer: TrueAnswer) -> Iterator[str]:
    """Yield the aliases of a finest answer that name an area around it, normalised.

    An alias that shares a word with the usual name is none: "Cebu" for Cebu City.
    """
    if answer.level > 1:
        return
    own = {*bare_name(answer.text).split()}
    for alias in answer.aliases:
        name = place_name(alias)
        if own.isdisjoint(name.split()) and (name in _AREAS or name in regions()):
            yield name
