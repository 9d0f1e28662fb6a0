"""Write the parameters of a query into its text, as terms in the place of variables.

Oxigraph binds parameters by itself; an endpoint takes nothing but a text. A ``VALUES`` block at
the end, as other clients write it, is joined with what is found only after groups are counted, and
no ``FILTER`` inside sees it: most of our queries would find nothing, or all. A block inside is
right, but few engines make use of it where there are alternatives: they read everything first. So
each variable is replaced by its term. Terms come as the RDF library writes them, with quotes and
escapes; what stands in strings, IRIs and comments of the query is left as it is.
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
_LISTING = {"SELECT", "GROUP BY"}


def values(lists: Mapping[str, Sequence[Term]]) -> str:
    """Return what ends a query whose variables are to take each of some terms; or nothing.

    That is right for a variable of the outermost pattern of a query that counts nothing.
    """
    return "".join(
        f"\nVALUES ?{name} {{ {' '.join(map(terms.written, found))} }}"
        for name, found in lists.items()
    )


def bound(text: str, bindings: Mapping[str, Term]) -> str:
    """Return the text of a query whose variables are replaced by terms, without comments.

    In the outermost query, where a variable is selected or grouped by, the term is given its
    name there; within, it is left out of such a list, which has others.
    """
    found = {name: terms.written(term) for name, term in bindings.items()}
    return "".join(
        form.format(term=found[name], name=name) if name in found else before
        for before, name, form in _pieces(text)
    )


@functools.cache
def _pieces(text: str) -> Sequence[tuple[str, str, str]]:
    """Return a query piece by piece: the text, the variable it is or nothing, and its new form."""
    text = _COMMENT.sub("", text)
    is_grouped = "GROUP BY" in text[text.rindex("}") :]
    pieces: list[tuple[str, str, str]] = []
    done = braces = parens = 0
    word = ""
    for token in _TOKEN.finditer(text):
        braces += {"{": 1, "}": -1}.get(token[0], 0)
        parens += {"(": 1, ")": -1}.get(token[0], 0)
        word = token["word"] or ("" if token[0] in "{}" else word)
        if not token["name"]:
            continue
        is_listed = word in _LISTING and not parens
        form = "{term}"
        if is_listed:
            is_kept = word == "SELECT" and is_grouped
            form = "" if braces else f"?{token['name']}" if is_kept else "({term} AS ?{name})"
        pieces += (text[done : token.start()], "", ""), (token[0], token["name"], form)
        done = token.end()
    return [*pieces, (text[done:], "", "")]
