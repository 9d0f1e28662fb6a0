"""Numeric codes of verdicts, kinds of values and predicates, and the flags that the scanner reads.

Compiled code handles numbers only. So a verdict, a kind or a predicate is represented by a code,
which is its index in a tuple of names.
"""

from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.dump.kinds import KINDS, REASONS
from kgbuild.native.arrays import Bytes

# Codes of the kinds of values, in the order of KINDS.
ITEM, PROPERTY, TIME, QUANTITY, TEXT, POINT, UNKNOWN, STRING, LINK, OTHER = range(len(KINDS))

VERDICTS = ("keep", *REASONS, "bad")
"""The verdicts on a line: keep it, drop it for a reason, or reject it as bad."""
# Codes of the verdicts, in the order of VERDICTS.
KEEP, OTHER_ITEM, _OTHER_ENTITY, _EMPTY_ENTITY, OTHER_PROPERTY, NAME, OTHER_LANGUAGE = range(7)
NO_LANGUAGE, REPEATED_LABEL, DROP_STRING, NORMALIZED, DROP_LINK, OTHER_VALUE = range(7, 13)
DROP_TYPE, PAGE, BLANK_SUBJECT, METADATA, NOT_TRIPLE, BAD = range(13, 19)

# Codes of predicates. The code of a direct property (such as wdt:P31) is its number.
PROPERTIES = 1 << 17
"""Number of properties with a code of their own: P131072 and above share the code 0.

Wikidata has 13,000 properties.
"""
OTHER_IRIS = (
    *(wikidata.LABEL, wikidata.ALIAS, wikidata.DESCRIPTION, wikidata.SAME_AS, wikidata.TYPE),
    *(*wikidata.REPEATED_LABELS, wikidata.NORMALIZED, wikidata.PRECISION),
)
"""IRIs of predicates other than direct properties; the code is PROPERTIES plus the index.

The last two are followed by the id of a property.
"""
LABEL, ALIAS, DESCRIPTION, SAME_AS, TYPE, PREF_LABEL, SCHEMA_NAME, WDTN, PRECISION = range(
    PROPERTIES, PROPERTIES + len(OTHER_IRIS)
)
PREDICATES = PROPERTIES + len(OTHER_IRIS)
"""Number of codes of predicates."""
OTHER_PREDICATE = -1
"""The code of all other predicates."""

# Positions in ``Rules.table``; the flags of properties begin at 0.
BASIC_AT = PROPERTIES
KINDS_AT = BASIC_AT + PROPERTIES
NAMES_AT = KINDS_AT + len(KINDS)
EVERYTHING_AT = NAMES_AT + len(("label", "alias", "description"))
SELECTING_AT = EVERYTHING_AT + 1
LANGUAGES_AT = SELECTING_AT + 1


class Rules(NamedTuple):
    """The rules that decide which lines are kept, in the form that compiled code reads.

    ``table`` has, in this order: for each property, whether to keep its statements; for each
    property, whether it is basic (in HIERARCHY); for each kind of value and of name, whether to
    keep it; whether to keep everything; whether to select items; and the codes of the languages to
    keep, each with a line end.

    If the rules select items, ``subjects`` and ``objects`` are sets of items. All lines about
    ``subjects`` are kept, only the names and basic properties of ``objects``, which the subjects
    point to, and no lines about other items.
    """

    table: Bytes
    subjects: Bytes
    objects: Bytes


class CandidateItems(NamedTuple):
    """The items that a slice can choose: the ``listed`` items and the instances of ``classes``."""

    listed: frozenset[str]
    classes: frozenset[str] | None
