"""Names of the kinds of values and of the reasons to drop lines.

The module is fast to import, because the command line shows these names in its help texts.
"""

KINDS = (
    *("item", "property", "time", "quantity", "text", "point", "unknown"),
    *("string", "link", "other"),
)
"""The kinds of objects of statements; the index of a kind is its code (see ``rules``)."""
USUAL_KINDS = KINDS[:7]
"""The kinds of values that are kept by default: all except the last three."""
HIERARCHY = ("P31", "P279", "P131", "P17")
"""Basic properties, for class and place, which are kept for every kept item."""
USUAL, ALL = "usual", "all"
"""Words that can be written instead of properties: those of relations.toml, or all properties."""
REASONS = {
    "other_item": "lines of other items",
    "other_entity": "lexemes, media files and schemas",
    "empty_entity": "entities without labels, texts and truthy statements",
    "other_property": "statements and names of other properties",
    "name": "aliases or descriptions",
    "other_language": "labels and texts in other languages",
    "no_language": "labels and texts without a language",
    "repeated_label": "repetitions of labels",
    "string": "external ids and other plain strings",
    "normalized": "external ids as links",
    "link": "files, web links, lexemes, other IRIs",
    "other_value": "values of other types, such as formulas and dates without a time",
    "type": "types of entities",
    "page": "data pages",
    "blank_subject": "metadata of properties",
    "metadata": "other metadata",
    "not_triple": "empty lines and comments",
}
"""The reasons to drop lines, with descriptions, in the order of the verdicts in ``rules``."""
REASONS_WITHOUT_ITEMS = ("page", "blank_subject", "metadata", "not_triple")
"""The reasons that lines about items do not have."""
