"""Addresses of Wikidata's pages."""

import re
from urllib.parse import quote

from kgbuild.wikidata import Value

_WIKIDATA = "https://www.wikidata.org/wiki/"
_PAGES = {"item": _WIKIDATA, "property": f"{_WIKIDATA}Property:"}
_ID = re.compile(r"[QP][1-9][0-9]*")


def is_id(text: str) -> bool:
    """Return whether a text is the id of an item or a property, and no literal."""
    return _ID.fullmatch(text) is not None


def href_of(value: Value) -> str | None:
    """Return the address of an item's or a property's page, None for other values."""
    page = _PAGES.get(value.kind)
    return None if page is None else page + quote(value.text, safe="")


def page_of(text: str) -> str | None:
    """Return the address of the page of an item or a property; None for a literal."""
    kind = "item" if text.startswith("Q") else "property"
    return href_of(Value(kind, text)) if is_id(text) else None
