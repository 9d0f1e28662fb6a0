"""Names of kinds of values and of reasons to drop lines, in a module that is fast to import."""

KINDS = (
    *("item", "property", "time", "quantity", "text", "point", "unknown"),
    *("string", "link", "other"),
)
"""Kinds of objects of statements; the index of a kind is its code in compiled code."""
USUAL_KINDS = KINDS[:7]
"""The kinds of values that are kept by default: all but strings, links and others."""
HIERARCHY = ("P31", "P279", "P131", "P17")
"""Properties for class and place, which are kept for every kept item."""
USUAL, ALL = "usual", "all"
"""Words that stand for several properties: those of relations.toml, or all properties."""
REASONS = {
    "other_item": "lines of other items",
    "other_property": "statements and names of other properties",
    "name": "aliases or descriptions",
    "other_language": "labels and texts in other languages",
    "repeated_label": "repetitions of labels",
    "string": "external ids and other plain strings",
    "normalized": "external ids as links",
    "link": "files, web links, lexemes",
    "other_value": "values of other types, such as formulas",
    "type": "types of entities",
    "page": "data pages",
    "blank_subject": "metadata of properties",
    "metadata": "other metadata",
    "not_triple": "empty lines and comments",
}
"""The reasons to drop lines, with a description each, in the order of the scanner's verdicts."""
