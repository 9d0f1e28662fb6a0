"""Ask where somebody was educated, in words that suit the schools that are answers."""

import re
from collections.abc import Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.classes import CLASS
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.questions.item_labels import item_label

_SCHOOLS = read_toml("granola", "questions/question_texts")["schools"]
_CLASSES, _HIGHER = frozenset(_SCHOOLS["classes"]), frozenset(_SCHOOLS["higher"])
_NAME = re.compile(rf"\b(?:{'|'.join(_SCHOOLS['words'])})\b")


def school_template(profiles: Profiles, golds: Sequence[str], template: str) -> str:
    """Return the template of a question about schools, or ``template`` if no gold is for children.

    Nobody says that somebody studied at Eton.
    """
    are_for_children = [_is_for_children(profiles, gold) for gold in golds]
    if not any(are_for_children):
        return template
    return str(_SCHOOLS["asked" if all(are_for_children) else "mixed"])


def _is_for_children(profiles: Profiles, school: str) -> bool:
    if _NAME.search(item_label(profiles.labels, school)):
        return True
    closures = [profiles.classes.closure(qid) for _, qid in profiles.classes.direct(school, CLASS)]
    is_higher = not all(map(_HIGHER.isdisjoint, closures))
    return not is_higher and not all(map(_CLASSES.isdisjoint, closures))
