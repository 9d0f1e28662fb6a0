"""Check the text of a user's query before it runs, and explain what Oxigraph says about it.

Oxigraph gives values to variables by substitution (SEP-0007). In some places it ignores the value
without notice: in an inner SELECT that does not return the variable, and where a variable without
a triple pattern is copied or tested for being bound. Such queries are refused.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from kgbuild.errors import WrongCallError, list_first, shorten

# What follows SERVICE up to its group is a single stretch of text, so it is found whatever is
# before it: a search that skips strings and comments could be led to skip too much. A string that
# contains such a stretch is found, too.
_SERVICE = re.compile(
    r"""service(?:\s|\#[^\r\n]*)*+(?:silent)?(?:\s|\#[^\r\n]*)*+
    (?:<[^>]*>|(?:\\.|[^\s<{}\#\\])++)(?:\s|\#[^\r\n]*)*+\{""",
    re.VERBOSE | re.IGNORECASE,
)
# Tokens of SPARQL. Comments, IRIs and strings have no name.
_TOKEN = re.compile(
    r"""\#[^\r\n]*|<[^<>"{}|^`\x00-\x20]*>
    |\"{3}(?:\\.|(?!\"{3})[^\\])*\"{3}|'{3}(?:\\.|(?!'{3})[^\\])*'{3}
    |"(?:\\.|[^"\\\r\n])*"|'(?:\\.|[^'\\\r\n])*'
    |[?$](?P<variable>\w+)|(?P<name>[\w.-]*:(?:[\w:.%-]|\\.)*)|(?P<word>\w+)|(?P<mark>[{}()!*])""",
    re.VERBOSE | re.DOTALL,
)
_PROLOGUE = ("PREFIX", "BASE", "VERSION")
_FORMS = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
_PATH = re.compile(r"[?$]\w+[*+/|]")
_TESTS = ("BOUND", "FILTER", "HAVING", "BY")
"""What precedes a variable in parentheses if Oxigraph decides before it has the value."""
_FAULT = re.compile(r"error at (\d+):(\d+): expected (?:one of )?(.*)", re.DOTALL)
_NOT_RETURNED = re.compile(r"[?]\w+(?= in its SELECT)")
_CLASS = re.compile(r"\[(?:'[^']*'|[^\]'])*\]|<unreported>")
"""A set of characters in a message of Oxigraph."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def check(text: str, bound: Iterable[str], *, may_federate: bool) -> None:
    """Check a query that a store is asked, in which the variables ``bound`` have values.

    ``may_federate`` is whether it may ask other servers.

    Raises:
        WrongCallError: it may not run.
    """
    if not may_federate:
        refuse_services(text)
    tokens = _tokens(text)
    outside = [*_outside(tokens)]
    if not (outside and outside[0].startswith(_FORMS)):
        raise WrongCallError(
            "A query begins with SELECT, ASK, CONSTRUCT or DESCRIBE, after its prefixes. "
            "Nothing else runs, since a store is only read."
        )
    if "FROM" in outside:
        raise WrongCallError("A store has a single graph, so FROM finds nothing: leave it out.")
    for name in bound:
        _check_variable(tokens, name)


def refuse_services(text: str) -> None:
    """Raise a WrongCallError if a query has a SERVICE, which asks another server."""
    if _SERVICE.search(text):
        raise WrongCallError("SERVICE asks another server. If you mean it, pass --service.")


def _tokens(text: str) -> list[str]:
    """Return the variables (as ?name), words (in capitals), names and marks of a query."""
    return [
        f"?{token['variable']}" if token["variable"] else token[0].upper()
        for token in _TOKEN.finditer(text)
        if token.lastgroup
    ]


def _outside(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the words of a query that are in no braces, without those of its prologue."""
    depth = 0
    for token in tokens:
        depth += {"{": 1, "}": -1}.get(token, 0)
        if not depth and token.isalpha() and token not in _PROLOGUE:
            yield token


def _check_variable(tokens: Sequence[str], name: str) -> None:
    """Check that Oxigraph gives a variable its value everywhere."""
    variable = f"?{name}"
    if variable not in tokens:
        raise WrongCallError(f"The query has no variable {variable}.")
    for projection, inner in _inner_selects(tokens):
        if variable in inner and variable not in projection:
            raise WrongCallError(
                f"An inner SELECT uses {variable} and does not return it, so it would not get its "
                f"value. Add {variable} to the variables of that SELECT."
            )
    for before, bracket, token, after in zip(
        tokens, tokens[1:], tokens[2:], tokens[3:], strict=False
    ):
        if (bracket, token) != ("(", variable):
            continue
        if after == "AS" or (after == ")" and before in _TESTS):
            place = f"({variable} AS …)" if after == "AS" else f"{before} ({variable})"
            raise WrongCallError(
                f"{variable} would not have its value in {place}. Use {variable} itself instead, "
                "or compare it with something."
            )


def _inner_selects(tokens: Sequence[str]) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the variables that each inner SELECT returns by name, and all that it has."""
    for start, (bracket, word) in enumerate(itertools.pairwise(tokens)):
        if bracket != "{" or not word.startswith("SELECT"):
            continue
        projection: set[str] = set()
        inner: set[str] = set()
        braces, parentheses, in_projection = 1, 0, True
        for token in tokens[start + 1 :]:
            braces += {"{": 1, "}": -1}.get(token, 0)
            parentheses += {"(": 1, ")": -1}.get(token, 0)
            if not braces:
                break
            in_projection = in_projection and token not in ("{", "WHERE")
            if token[0] == "?":
                inner.add(token)
                if in_projection and not parentheses:
                    projection.add(token)
        yield projection, inner


def explain(message: str, text: str) -> WrongCallError:
    """Return the error of a query that Oxigraph cannot run, by its message."""
    if match := _NOT_RETURNED.search(message):
        return WrongCallError(
            f"{match[0]} has a value, so the outermost SELECT must return it; "
            "in ASK and CONSTRUCT, a triple pattern must have it."
        )
    match = _FAULT.fullmatch(message)
    if match is None:
        return WrongCallError(f"Oxigraph cannot run the query: {message}.")
    line, column = int(match[1]), int(match[2])
    shown = text.split("\n")[line - 1]
    path = _PATH.search(shown[:column])
    is_path = path is not None and path.end() >= column - 2
    fault = "a property path has no variables" if is_path else _fault(_CLASS.sub("", match[3]))
    where = f"Line {line}, column {column} of the query"
    return WrongCallError(f"{where}: {fault}, in '{shorten(shown.strip())}'.")


def _fault(expected: str) -> str:
    """Return what is wrong by the list of what Oxigraph expected: a reason, or parts of a query."""
    entries = [entry.strip() for entry in _QUOTED.sub("", expected).split(",")]
    reason = next((entry for entry in entries if " " in entry), "")
    if reason:
        return reason[0].lower() + reason[1:]
    wanted = [*_QUOTED.findall(expected), *filter(None, entries)]
    return f"expected {list_first(wanted)}" if wanted else "something is missing or too much"
