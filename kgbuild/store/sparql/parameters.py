"""Write the parameters of a query into its text, since endpoints accept only text.

Each variable is replaced by its term, which the RDF library writes, with quotes and escapes;
strings, IRIs and comments of the query stay as they are.

The rows of a list parameter become a ``VALUES`` block, in the place of an empty block that the
query has for it. It stands inside the query: Virtuoso 7 finds nothing for several rows of a block
at the end, and every engine joins such a block only after it counts groups and evaluates filters.
"""

import functools
import re
from collections.abc import Mapping, Sequence

from kgbuild.store.sparql import terms
from kgbuild.store.sparql.terms import Term

# Tokens of SPARQL: comments, IRIs and strings, which stay, variables, brackets and keywords.
_TOKEN = re.compile(
    r"""\#[^\n]*|<[^<>"{}|^`\\\s]*>|"(?:[^"\\\n]|\\.)*"
    |[?](?P<name>\w+)|(?P<bracket>[(){}])
    |\b(?P<keyword>SELECT|WHERE|GROUP\ BY|HAVING|ORDER\ BY)\b""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"^#[^\n]*\n", re.MULTILINE)
_EMPTY_BLOCK = re.compile(r"(VALUES \([?](\w+)[^()]*\) \{ )\([UNDEF ]+\)")
"""A block such as ``VALUES (?claim …) { (UNDEF …) }``, for the rows of its first variable."""
_LIST_KEYWORDS = {"SELECT", "GROUP BY"}
"""The keywords that precede a list of variables."""


def insert_lists(text: str, lists: Mapping[str, Sequence[tuple[Term, ...]]]) -> str:
    """Write the rows of list parameters into the empty blocks that a query has for them."""
    row_texts = {
        name: " ".join(f"({' '.join(map(terms.to_text, row))})" for row in rows)
        for name, rows in lists.items()
    }
    return _EMPTY_BLOCK.sub(lambda block: block[1] + row_texts[block[2]], text)


def insert_terms(text: str, bindings: Mapping[str, Term]) -> str:
    """Return the text of a query with terms instead of variables, and without comments.

    Where the outermost query selects a variable or groups by it, the term gets the variable's name
    (AS ?name). The variable is removed from the lists of inner queries.
    """
    term_texts = {name: terms.to_text(term) for name, term in bindings.items()}
    return "".join(
        template.format(term=term_texts[variable], name=variable)
        if variable in term_texts
        else part
        for part, variable, template in _parts(text)
    )


@functools.cache
def _parts(text: str) -> Sequence[tuple[str, str, str]]:
    """Split a query at its variables.

    Returns:
        For each part, its text; if it is a variable, its name, otherwise ""; and the template of
        the text that replaces it, with fields for the term and the name.
    """
    text = _COMMENT.sub("", text)
    is_grouped = "GROUP BY" in text[text.rindex("}") :]
    parts: list[tuple[str, str, str]] = []
    end = brace_depth = parenthesis_depth = 0
    keyword = ""
    for token in _TOKEN.finditer(text):
        brace_depth += {"{": 1, "}": -1}.get(token[0], 0)
        parenthesis_depth += {"(": 1, ")": -1}.get(token[0], 0)
        keyword = token["keyword"] or ("" if token[0] in "{}" else keyword)
        if not token["name"]:
            continue
        template = "{term}"
        if keyword in _LIST_KEYWORDS and not parenthesis_depth:
            if brace_depth:  # an inner query
                template = ""
            elif keyword == "SELECT" and is_grouped:  # GROUP BY gives the term this name
                template = "?{name}"
            else:
                template = "({term} AS ?{name})"
        parts += (text[end : token.start()], "", ""), (token[0], token["name"], template)
        end = token.end()
    return [*parts, (text[end:], "", "")]
