"""The numeric codes that the scanner uses for verdicts, kinds and predicates, and its rules."""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.dump.kinds import KINDS, REASONS

Bytes: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.int64]

ITEM, PROPERTY, TIME, QUANTITY, TEXT, POINT, UNKNOWN, STRING, LINK, OTHER = range(len(KINDS))

VERDICTS = ("keep", *REASONS, "bad")
"""The verdicts on a line: keep it, drop it for a reason, or it is bad. The index is the code."""
KEEP, OTHER_ITEM, OTHER_PROPERTY, NAME, OTHER_LANGUAGE, REPEATED_LABEL = range(6)
DROP_STRING, NORMALIZED, DROP_LINK, OTHER_VALUE, DROP_TYPE, PAGE, BLANK_SUBJECT = range(6, 13)
METADATA, NOT_TRIPLE, BAD = range(13, 16)

PROPERTIES = 1 << 17
"""Properties with this number or a higher one are counted together as 0. Wikidata has 13,000."""
NAMED = (
    *(wikidata.LABEL, wikidata.ALIAS, wikidata.DESCRIPTION, wikidata.SAME_AS, wikidata.TYPE),
    *(*wikidata.REPEATED_LABELS, wikidata.NORMALIZED, wikidata.PRECISION),
)
"""Predicates other than direct properties: the one at index n has the code PROPERTIES + n."""
LABEL, ALIAS, DESCRIPTION, SAME_AS, TYPE, PREF_LABEL, SCHEMA_NAME, WDTN, PRECISION = range(
    PROPERTIES, PROPERTIES + len(NAMED)
)
PREDICATES = PROPERTIES + len(NAMED)
KINDS_AT = 2 * PROPERTIES
NAMES_AT = KINDS_AT + len(KINDS)
EVERYTHING_AT = NAMES_AT + 3
SELECTING_AT = EVERYTHING_AT + 1
LANGUAGES_AT = SELECTING_AT + 1
OTHER_PREDICATE = -1  # any other predicate; the caller counts it by its text


class Rules(NamedTuple):
    """Rules in the form that the kernel reads.

    ``table`` has flags: which properties to keep, which are basic (HIERARCHY), which kinds and
    names to keep, then ``everything`` and ``selecting``, then the codes of languages, each with a
    line end. Properties from PROPERTIES on share the flag of 0. If ``selecting``, all lines of the
    items in the bitmap ``subjects`` are kept, names and basic properties of those in ``pointed``,
    and nothing of others.
    """

    table: Bytes
    subjects: Bytes
    pointed: Bytes
