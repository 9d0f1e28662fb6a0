"""Normalise texts for comparison: remove case and accents."""

import unicodedata


def fold(name: str) -> str:
    """Return a name without case, accents and doubled spaces.

    >>> fold("  Édith   PIAF")
    'edith piaf'
    """
    if name.isascii():
        return " ".join(name.lower().split())
    return " ".join(plain(name.encode("utf-8", "replace").decode()).split())


def plain(text: str) -> str:
    """Return a text in its simplest letters, without case and accents: ``ﬁ`` is fi, ``™`` tm."""
    # Twice, since what letters like ™ and ℋ are made of has a case of its own.
    return _bare(_bare(text.casefold()).casefold())


def printed(text: str) -> str:
    """Return a text as it looks: composed letters, plain blanks, and nothing invisible.

    >>> printed("Ma\u0301laga\u200b, 9\u00a0October")
    'Málaga, 9 October'
    """
    if text.isascii():
        return text
    letters = [(c, unicodedata.category(c)) for c in unicodedata.normalize("NFC", text)]
    return "".join([" " if kind == "Zs" else c for c, kind in letters if kind != "Cf"])


def _bare(text: str) -> str:
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFKD", text)
    return "".join([c for c in letters if not unicodedata.combining(c)])
