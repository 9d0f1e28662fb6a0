"""The rules of a scan: codes of verdicts, kinds and predicates, and which of them are kept."""

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
"""Predicates other than direct properties: the n-th has the code PROPERTIES + n."""
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
    """Rules as the kernel reads them.

    ``table`` has the flags of properties to keep, of basic properties (those with larger numbers
    share the first flag), of kinds and of names, then ``everything``, ``selecting`` and the codes
    of languages, each with a line end. If it is selecting, the items of the bitmap ``subjects``
    are kept with all their lines, those of ``pointed`` with their names and basic properties, and
    no others.
    """

    table: Bytes
    subjects: Bytes
    pointed: Bytes
