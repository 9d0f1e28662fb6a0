"""What ids are called in the report."""

import re
from collections.abc import Mapping

from kgbuild.catalog import catalog
from kgbuild.drawing.layout import href_of
from kgbuild.report.numbers import Numbers
from kgbuild.wikidata import Value

_ITEM = re.compile(r"Q[1-9][0-9]*")
_MIDNIGHT = "T00:00:00Z"
_COMMON = {"Q5": "human", "Q6581072": "female", "Q6581097": "male"}
"""The labels of values that most items share, and that the tables seldom name."""


class Names:
    """The labels of items, properties and relations; an id stands for itself if it has none."""

    def __init__(self, items: Mapping[str, str], properties: Mapping[str, str]):
        self._items = items
        self._properties = properties

    def knows(self, text: str) -> bool:
        """Tell whether a text is a literal, or an item with a label."""
        return text in self._items or not is_item(text)

    def item(self, text: str) -> str:
        """Return the label of an item, or a literal as people read it."""
        return self._items.get(text) or text.removesuffix(_MIDNIGHT)

    def relation(self, path: str) -> str:
        """Return the label of a property, or of two with a slash between: spouse / employer."""
        return " / ".join(self._properties.get(pid) or pid for pid in path.split("/"))

    def titled(self, path: str) -> str:
        """Return the label of a relation with its id; a file is called as it is."""
        label = self.relation(path)
        return label if label == path else f"{label} ({path})"


def names(numbers: Numbers, qids: set[str]) -> Names:
    """Return the names of all properties, and of some items, as far as the tables tell them."""
    items = {row["qid"]: row["label"] for row in numbers.of("shared", "items", qids=sorted(qids))}
    told = {row["property"]: row["label"] for row in numbers.of("shared", "properties")}
    return Names({**_COMMON, **items}, {**catalog().properties, **told})


def is_item(text: str | None) -> bool:
    """Tell whether a text is the id of an item."""
    return bool(text and _ITEM.fullmatch(text))


def page_of(text: str | None) -> str | None:
    """Return the address of an item's page; None for what is no item."""
    return href_of(Value("item", text)) if text and is_item(text) else None
