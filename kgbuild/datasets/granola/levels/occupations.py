"""Tell which occupations answer who did something: an actor plays a character, a poet does not."""

from collections.abc import Collection

from kgbuild.datasets.base import read_toml
from kgbuild.relations import Relation


def fitting_endings(relation: Relation, kinds: Collection[str]) -> tuple[str, ...]:
    """Return how the names of the occupations end that fit a relation of a subject of ``kinds``.

    The tuple is empty if all occupations fit, as for a spouse.
    """
    table = read_toml("granola", "levels/occupations")
    roles = table["relations"]
    keys = (f"{relation.pid} {kind}" for kind in kinds)
    role = next((roles[key] for key in keys if key in roles), roles.get(relation.pid))
    return tuple(table["endings"][role]) if role else ()
