"""Write the parameters of a query into its text, since endpoints accept only text.

Each variable is replaced by its term, which the RDF library writes, with quotes and escapes;
strings, IRIs and comments of the query stay as they are. A ``VALUES`` block at the end is joined
only after groups are counted, and no ``FILTER`` inside sees it: most of our queries would return
nothing, or everything. A block inside is correct, but few engines use it early: where one must be
inside, the query says so.
"""

import functools
import re
from collections.abc import Mapping, Sequence

from kgbuild.store import terms
from kgbuild.store.terms import Term

_TOKEN = re.compile(
    r"""\#[^\n]*|<[^<>"{}|^`\\\s]*>|"(?:[^"\\\n]|\\.)*"
    |[?](?P<name>\w+)|(?P<bracket>[(){}])|\b(?P<word>SELECT|WHERE|GROUP\ BY|HAVING|ORDER\ BY)\b""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"^#[^\n]*\n", re.MULTILINE)
_BLOCK = re.compile(r"(VALUES \([?](\w+)[^()]*\) \{ )\([UNDEF ]+\)")
"""A block that waits for the rows of its first variable."""
_LISTS = {"SELECT", "GROUP BY"}
"""The keywords before a list of variables."""


def listed(text: str, lists: Mapping[str, Sequence[tuple[Term, ...]]]) -> tuple[str, str]:
    """Return the text of a query whose variables take rows of terms, and the blocks that end it.

    Rows stand where the query has a block for them, else in one at its end, which is correct for a
    variable of the outermost pattern of a query that counts nothing.
    """
    written = {
        name: " ".join(f"({' '.join(map(terms.written, row))})" for row in rows)
        for name, rows in lists.items()
    }
    inside = {block[2] for block in _BLOCK.finditer(text)}
    ending = (f"\nVALUES (?{name}) {{ {written[name]} }}" for name in written if name not in inside)
    return _BLOCK.sub(lambda block: block[1] + written[block[2]], text), "".join(ending)


def bound(text: str, bindings: Mapping[str, Term]) -> str:
    """Return the text of a query with terms instead of variables, and without comments.

    Where the outermost query selects a variable or groups by it, the term gets the variable's name
    (AS ?name). The variable is removed from the lists of inner queries.
    """
    written = {name: terms.written(term) for name, term in bindings.items()}
    return "".join(
        form.format(term=written[name], name=name) if name in written else piece
        for piece, name, form in _pieces(text)
    )


@functools.cache
def _pieces(text: str) -> Sequence[tuple[str, str, str]]:
    """Return a query as pieces (text, variable or "", form with the term instead)."""
    text = _COMMENT.sub("", text)
    is_grouped = "GROUP BY" in text[text.rindex("}") :]
    pieces: list[tuple[str, str, str]] = []
    end = braces = parens = 0
    word = ""
    for token in _TOKEN.finditer(text):
        braces += {"{": 1, "}": -1}.get(token[0], 0)
        parens += {"(": 1, ")": -1}.get(token[0], 0)
        word = token["word"] or ("" if token[0] in "{}" else word)
        if not token["name"]:
            continue
        form = "{term}"
        if word in _LISTS and not parens:
            is_kept = word == "SELECT" and is_grouped
            form = "" if braces else f"?{token['name']}" if is_kept else "({term} AS ?{name})"
        pieces += (text[end : token.start()], "", ""), (token[0], token["name"], form)
        end = token.end()
    return [*pieces, (text[end:], "", "")]
