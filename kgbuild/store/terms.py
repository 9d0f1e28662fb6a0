"""Convert Python values to RDF terms and back: the parameters and the results of queries."""

import hashlib
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import pyoxigraph as ox

from kgbuild import wikidata
from kgbuild.store.queries import LISTS, Query

Param: TypeAlias = str | int | tuple[str, str] | Sequence[str] | Sequence[tuple[str, str]]
"""An id, a string, an integer or a (text, language).

A list parameter is a sequence of ids, of (text, language) or of (item, property).
"""
Row: TypeAlias = tuple[Any, ...]
"""The values of a query's columns: ids and strings as str, counts as int, objects as Value.

Values of the kind "term" are RDF terms.
"""
Term: TypeAlias = ox.NamedNode | ox.Literal

MAX_ROWS = 1_000_000
"""Maximum number of rows or triples of a response, which take up to 100 times its memory."""
RESULTS = "application/sparql-results+json"
TRIPLES = "application/n-triples"
"""The media types to request: for the rows of a query, and for the triples about an item."""
_PROPERTY_NAMESPACES = (wikidata.DIRECT, wikidata.CLAIM, wikidata.MAIN_VALUE)
"""Namespaces of a property that lead to truthy values, to statements, and from these to values."""
# A backslash and what it escapes; after two backslashes, also a letter u or U.
_BACKSLASHES = re.compile(r"\\(\\[uU]?|.)")
_PORTABLE = {r"\u": r"\\\U00000075", r"\U": r"\\\U00000055"}


def single_terms(query: Query, params: Mapping[str, Param]) -> dict[str, Term]:
    """Check the names of parameters; return those that are not lists as terms."""
    query.check(set(params))
    return {name: _TERMS[kind](params[name]) for name, kind in query.params if kind not in LISTS}


def list_terms(query: Query, params: Mapping[str, Param]) -> dict[str, list[tuple[Term, ...]]]:
    """Return the list parameters of a query as rows of terms.

    The row of a claim has four terms (see ``_row``), other rows have one.
    """
    return {
        name: [_row(LISTS[kind], value) for value in cast(Sequence[str], params[name])]
        for name, kind in query.params
        if kind in LISTS
    }


def _row(kind: str, value: Any) -> tuple[Term, ...]:
    """Return a value as terms; those of a claim are the item and three IRIs of the property."""
    if kind != "claim":
        return (_TERMS[kind](value),)
    qid, pid = value
    iris = (wikidata.ENTITY + qid, *(namespace + pid for namespace in _PROPERTY_NAMESPACES))
    return tuple(map(ox.NamedNode, iris))


def to_text(term: Term) -> str:
    r"""Return a term as text for a query, in a form that all engines understand.

    Some engines replace ``\u0022`` before they parse a query, even in ``\\u0022``, where the first
    backslash escapes the second. So the letter after two backslashes is written as an escape.
    """
    return _BACKSLASHES.sub(lambda match: _PORTABLE.get(match[1], match[0]), str(term))


def rows(query: Query, solutions: Any, limit: int | None = None) -> list[Row]:
    """Return the rows of a query from Oxigraph's solutions, or the first ``limit`` of them."""
    indexes = {variable.value: index for index, variable in enumerate(solutions.variables)}
    readers = [(indexes[name], _READERS[kind]) for name, kind in query.columns]
    return [
        tuple([None if row[index] is None else read(row[index]) for index, read in readers])
        for row in itertools.islice(solutions, limit)
    ]


def rows_of(query: Query, body: bytes, media_type: str) -> list[Row]:
    """Return the rows of a query from a server's response.

    Raises:
        ValueError: the response does not have rows of this query, or too many.
    """
    form = ox.QueryResultsFormat.from_media_type(media_type) or ox.QueryResultsFormat.JSON
    try:
        result = rows(query, ox.parse_query_results(body, form), MAX_ROWS + 1)
        if len(result) <= MAX_ROWS:
            return result
        fault = f"they are more than {MAX_ROWS:,}"
    except SyntaxError as error:
        fault = error.msg
    except KeyError as error:
        fault = f"they lack {error}"
    except AttributeError:
        fault = "they are of another kind"
    except MemoryError:
        fault = "they have a text of more than 16 MB"
    # Raised outside of ``except``: a traceback must not keep Oxigraph's objects after this thread.
    raise ValueError(fault)


def lines_of(body: bytes, media_type: str) -> list[bytes]:
    """Return the triples of a response as lines (see ``lines``).

    Raises:
        ValueError: the response is not RDF, or has too many triples.
    """
    form = ox.RdfFormat.from_media_type(media_type) or ox.RdfFormat.N_TRIPLES
    try:
        parsed = itertools.islice(ox.parse(body, format=form, lenient=True), MAX_ROWS + 1)
        triples = [(triple.subject, triple.predicate, triple.object) for triple in parsed]
    except SyntaxError as error:
        raise ValueError(error.msg) from error
    if len(triples) > MAX_ROWS:
        raise ValueError(f"more than {MAX_ROWS:,} triples")
    return lines(triples)


def literal_text(line: bytes) -> str:
    """Return the text of the literal of a valid N-Triples line, without escapes."""
    (triple,) = ox.parse(line, format=ox.RdfFormat.N_TRIPLES, lenient=True)
    return cast(ox.Literal, triple.object).value


def lines(triples: Iterable[Row]) -> list[bytes]:
    """Return triples of terms as N-Triples lines, sorted and without repetitions.

    A blank node gets a name that depends only on its statement, since servers name it differently
    each time. Triples about blank nodes are left out.
    """
    statements = {
        (str(subject), str(predicate), value)
        for subject, predicate, value in triples
        if isinstance(subject, ox.NamedNode)
    }
    lines = [
        f"{subject} {predicate} {value} .\n"
        for subject, predicate, value in statements
        if not isinstance(value, ox.BlankNode)
    ]
    with_blank_node = sorted(
        (subject, predicate)
        for subject, predicate, value in statements
        if isinstance(value, ox.BlankNode)
    )
    return [line.encode() for line in sorted([*lines, *_name_blank_nodes(with_blank_node)])]


def _name_blank_nodes(statements: Iterable[tuple[str, str]]) -> Iterable[str]:
    """Yield lines for sorted (subject, predicate), each with a different blank node as value."""
    for (subject, predicate), repetitions in itertools.groupby(statements):
        for n, _ in enumerate(repetitions):
            name = hashlib.blake2b(f"{subject} {predicate} {n}".encode(), digest_size=16)
            yield f"{subject} {predicate} _:{name.hexdigest()} .\n"


def is_rdf(media_type: str) -> bool:
    """Return whether a media type is a format of RDF; JSON without JSON-LD does not count."""
    return media_type != "application/json" and ox.RdfFormat.from_media_type(media_type) is not None


# Functions that convert a parameter to a term, by the kind of the parameter.
_TERMS: dict[str, Callable[[Any], Term]] = {
    "item": lambda qid: ox.NamedNode(wikidata.ENTITY + str(qid)),
    "entity": lambda entity: ox.NamedNode(wikidata.ENTITY + str(entity)),
    "property": lambda pid: ox.NamedNode(wikidata.DIRECT + str(pid)),
    "novalue": lambda pid: ox.NamedNode(wikidata.NO_VALUE + str(pid)),
    "precision": lambda pid: ox.NamedNode(wikidata.PRECISION + str(pid)),
    "string": lambda text: ox.Literal(str(text)),
    "text": lambda text: ox.Literal(text[0], language=text[1] or None),
    "integer": lambda number: ox.Literal(int(number)),
}


def _value(term: ox.NamedNode | ox.Literal | ox.BlankNode) -> wikidata.Value:
    if isinstance(term, ox.NamedNode):
        return wikidata.value_of_iri(term.value)
    if isinstance(term, ox.Literal):
        return wikidata.value_of_literal(term.value, term.datatype.value, term.language)
    return wikidata.Value("unknown", "")


# Functions that convert a term to a value, by the kind of the column.
_READERS: dict[str, Callable[[Any], object]] = {
    "item": lambda term: term.value[len(wikidata.ENTITY) :],
    "property": lambda term: term.value[len(wikidata.DIRECT) :],
    "value": _value,
    "string": lambda term: term.value,
    "integer": lambda term: int(term.value),
    "term": lambda term: term,
}
