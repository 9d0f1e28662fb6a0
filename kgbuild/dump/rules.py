"""The rules of a scan: codes of verdicts, kinds and predicates, and what is to be kept."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.dump.kinds import KINDS

Bytes: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.int64]

ITEM, PROPERTY, TIME, QUANTITY, TEXT, POINT, UNKNOWN, STRING, LINK, OTHER = range(len(KINDS))

VERDICTS = (
    *("keep", "other_item", "other_property", "name", "other_language", "repeated_label"),
    *("string", "normalized", "link", "other_value", "type", "page", "blank_subject"),
    *("metadata", "not_triple", "bad"),
)
"""The verdicts on a line, by their code."""
KEEP, OTHER_ITEM, OTHER_PROPERTY, NAME, OTHER_LANGUAGE, REPEATED_LABEL = range(6)
DROP_STRING, NORMALIZED, DROP_LINK, OTHER_VALUE, DROP_TYPE, PAGE, BLANK_SUBJECT = range(6, 13)
METADATA, NOT_TRIPLE, BAD = range(13, 16)

PROPERTIES = 1 << 17
"""Properties with a number from here on are counted together, under 0. Wikidata has 13,000."""
NAMED = (
    *(wikidata.LABEL, wikidata.ALIAS, wikidata.DESCRIPTION, wikidata.SAME_AS, wikidata.TYPE),
    *(*wikidata.REPEATED_LABELS, wikidata.NORMALIZED, wikidata.PRECISION),
)
"""Predicates that are no direct properties: the n-th has the code PROPERTIES + n."""
LABEL, ALIAS, DESCRIPTION, SAME_AS, TYPE, PREF_LABEL, SCHEMA_NAME, WDTN, PRECISION = range(
    PROPERTIES, PROPERTIES + len(NAMED)
)
PREDICATES = PROPERTIES + len(NAMED)
KINDS_AT = 2 * PROPERTIES
NAMES_AT = KINDS_AT + len(KINDS)
EVERYTHING_AT = NAMES_AT + 3
SELECTING_AT = EVERYTHING_AT + 1
LANGUAGES_AT = SELECTING_AT + 1
OTHER_PREDICATE = -1  # a predicate that is neither; the caller counts it by its text


class Rules:
    """What to keep, as the kernel reads it.

    ``properties`` and ``basic`` are PROPERTIES flags, the first of them for larger numbers;
    ``kinds`` are flags of KINDS; ``names`` says of label, alias and description whether they
    are kept; ``languages`` are codes of languages. ``everything`` keeps all that looks like a
    triple. With ``select``, two bitmaps, only the items of the first one are kept with all
    their lines, and those of the second one with their names and the ``basic`` properties.
    """

    def __init__(
        self,
        properties: Flags,
        kinds: Flags,
        names: Flags,
        languages: Sequence[str],
        everything: bool = False,
        basic: Flags | None = None,
        select: tuple[Bytes, Bytes] | None = None,
    ):
        codes = "".join(f"{code}\n" for code in languages).encode()
        # One array for all: each one that a compiled function is given costs it some time.
        self.table = np.zeros(LANGUAGES_AT + len(codes), np.uint8)
        self.table[:PROPERTIES] = properties
        if basic is not None:
            self.table[PROPERTIES : 2 * PROPERTIES] = basic
        self.table[KINDS_AT : KINDS_AT + len(KINDS)] = kinds
        self.table[NAMES_AT : NAMES_AT + 3] = names
        self.table[EVERYTHING_AT] = everything
        self.table[SELECTING_AT] = select is not None
        self.table[LANGUAGES_AT:] = np.frombuffer(codes, np.uint8)
        self.subjects, self.pointed = select or (np.zeros(0, np.uint8), np.zeros(0, np.uint8))
