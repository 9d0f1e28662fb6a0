"""Write the parameters of a query into its text, as terms in the place of variables.

Oxigraph binds parameters by itself; an endpoint takes nothing but a text. A ``VALUES`` block at
the end, as other clients write it, is joined with what is found only after groups are counted, and
no ``FILTER`` inside sees it: most of our queries would find nothing, or all. A block inside is
right, but few engines make use of it where there are alternatives: they read everything first. So
each variable is replaced by its term. Terms come as the RDF library writes them, with quotes and
escapes; what stands in strings, IRIs and comments of the query is left as it is.
"""

import re
from collections.abc import Mapping, Sequence

from kgbuild.kg import terms
from kgbuild.kg.terms import Term

_TOKEN = re.compile(
    r"""\#[^\n]*|<[^<>"{}|^`\\\s]*>|"(?:[^"\\\n]|\\.)*"
    |[?](?P<name>\w+)|(?P<bracket>[(){}])|\b(?P<word>SELECT|WHERE|GROUP\ BY|HAVING|ORDER\ BY)\b""",
    re.VERBOSE,
)
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
    """Return the text of a query whose variables are replaced by terms.

    In the outermost query, where a variable is selected or grouped by, the term is given its
    name there; within, it is left out of such a list, which has others.
    """
    found = {name: terms.written(term) for name, term in bindings.items()}
    is_grouped = "GROUP BY" in text[text.rindex("}") :]
    parts: list[str] = []
    done = braces = parens = 0
    word = ""
    for token in _TOKEN.finditer(text):
        braces += {"{": 1, "}": -1}.get(token[0], 0)
        parens += {"(": 1, ")": -1}.get(token[0], 0)
        word = token["word"] or ("" if token[0] in "{}" else word)
        term = found.get(token["name"] or "")
        if term is None:
            continue
        is_listed = word in _LISTING and not parens
        if is_listed and braces:
            term = ""
        elif is_listed and word == "SELECT" and is_grouped:
            continue
        elif is_listed:
            term = f"({term} AS ?{token['name']})"
        parts += text[done : token.start()], term
        done = token.end()
    return "".join([*parts, text[done:]])
