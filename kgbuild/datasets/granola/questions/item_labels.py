"""Read the labels of items as questions and answers have them."""

import re

from kgbuild.relations import clean_label
from kgbuild.store.labels import Labels

_FROM_TABLE = re.compile(r'"[^"]*(?:""[^"]*)+"')
"""A label in quotes, with doubled quotes inside."""


def item_label(labels: Labels, qid: str) -> str:
    """Return the label of an item without invisible characters; empty if it has none.

    A label in quotes with doubled ones inside comes from a table: ``"John ""Hot Rod"" Williams"``.
    """
    return cleaned_label(labels.label(qid) or "")


def cleaned_label(text: str) -> str:
    """Return a label without invisible characters, and without the quotes of a table."""
    label = clean_label(text)
    is_quoted = label.startswith('"') and _FROM_TABLE.fullmatch(label)
    return label[1:-1].replace('""', '"') if is_quoted else label
