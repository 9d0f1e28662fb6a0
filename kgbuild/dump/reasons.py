"""Why lines of a dump are dropped."""

REASONS = {
    "other_language": "labels and texts in other languages",
    "repeated_label": "repetitions of labels (skos:prefLabel, schema:name)",
    "other_property": "statements and names of other properties",
    "name": "aliases or descriptions",
    "other_item": "lines of other items",
    "string": "external ids and other plain strings",
    "normalized": "external ids as links (wdtn)",
    "link": "files, web links, lexemes",
    "other_value": "values of other types (geoshapes, formulas, …)",
    "type": "entity types (rdf:type)",
    "page": "data pages (Special:EntityData)",
    "blank_subject": "metadata of properties (blank subjects)",
    "metadata": "other metadata",
    "not_triple": "empty lines and comments",
}
"""What the lines are that are dropped for a reason, in words."""
