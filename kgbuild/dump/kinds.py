"""The words of filters and reports: kinds of values, reasons to drop lines. Quick to import."""

KINDS = (
    *("item", "property", "time", "quantity", "text", "point", "unknown"),
    *("string", "link", "other"),
)
"""What the object of a statement can be, by its code."""
USUAL_KINDS = KINDS[:7]
"""The kinds of values that are kept by default: all but strings and links."""
HIERARCHY = ("P31", "P279", "P131", "P17")
"""Class and place, which are kept of every item that is kept."""
USUAL, ALL = "usual", "all"
"""Words for properties: those of relations.toml, or every one."""
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
"""The reasons for which lines are dropped, in words; in the order of the scanner's verdicts."""
