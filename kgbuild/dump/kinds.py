"""The kinds of values, and the words of a filter: names that need no compiled code."""

KINDS = (
    *("item", "property", "time", "quantity", "text", "point", "unknown"),
    *("string", "link", "other"),
)
"""What the object of a statement can be, by its code."""
USUAL_KINDS = ("item", "property", "time", "quantity", "text", "point", "unknown")
"""The kinds of values that are kept unless others are named: all but strings and links."""
HIERARCHY = ("P31", "P279", "P131", "P17")
"""Class and place: they are kept of every item that is kept, by whichever property it came in."""
USUAL, ALL = "usual", "all"
"""Words for properties: those of relations.toml, or every one."""
