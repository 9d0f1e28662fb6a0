"""Convert plain values to RDF terms and back: the parameters and the results of queries."""

import hashlib
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import pyoxigraph as ox

from kgbuild import wikidata
from kgbuild.store.queries import LISTS, Query

Param: TypeAlias = str | int | tuple[str, str] | Sequence[str] | Sequence[tuple[str, str]]
"""An id, a string, an integer, or a (text, language); or several ids, (text, language) or
(item, property)."""
Row: TypeAlias = tuple[Any, ...]
"""The values of a query's columns: ids and strings as str, counts as int, objects as Value, and
columns of the kind "term" as RDF terms."""
Term: TypeAlias = ox.NamedNode | ox.Literal

MOST = 1_000_000
"""Maximum number of rows or triples of a response: short ones take a hundred times its size."""
RESULTS = "application/sparql-results+json"
TRIPLES = "application/n-triples"
"""The media types to request: for the rows of a query, and for the triples about an item."""


def single(query: Query, params: Mapping[str, Param]) -> dict[str, Term]:
    """Check the names of parameters, and return those that are not lists as terms."""
    query.check(set(params))
    return {name: _TERMS[kind](params[name]) for name, kind in query.params if kind not in LISTS}


def listed(query: Query, params: Mapping[str, Param]) -> dict[str, list[tuple[Term, ...]]]:
    """Return the lists of a query's parameters as rows of terms: one, or of a claim four."""
    return {
        name: [_row(LISTS[kind], value) for value in cast(Sequence[str], params[name])]
        for name, kind in query.params
        if kind in LISTS
    }


def _row(kind: str, value: Any) -> tuple[Term, ...]:
    if kind != "claim":
        return (_TERMS[kind](value),)
    qid, pid = value
    names = (wikidata.ENTITY + qid, *(space + pid for space in _OF_PROPERTY))
    return tuple(map(ox.NamedNode, names))


_OF_PROPERTY = (wikidata.DIRECT, wikidata.CLAIM, wikidata.MAIN_VALUE)
"""The namespaces of a property: to its best values, to its statements, from these to values."""


def written(term: Term) -> str:
    r"""Return a term as text for a query, in a form that all engines understand.

    Some engines replace ``\u0022`` before they parse a query, even after another backslash, where
    it is a part of the text.
    """
    return _ESCAPED.sub(lambda match: _PORTABLE.get(match[1], match[0]), str(term))


_ESCAPED = re.compile(r"\\(\\[uU]?|.)")
_PORTABLE = {r"\u": r"\\\U00000075", r"\U": r"\\\U00000055"}


def rows(query: Query, solutions: Any, most: int | None = None) -> list[Row]:
    """Return the rows of a query from Oxigraph's solutions, or the first ``most`` of them."""
    indexes = {variable.value: n for n, variable in enumerate(solutions.variables)}
    readers = [(indexes[name], _READERS[kind]) for name, kind in query.columns]
    return [
        tuple([None if row[n] is None else read(row[n]) for n, read in readers])
        for row in itertools.islice(solutions, most)
    ]


def rows_of(query: Query, body: bytes, media_type: str) -> list[Row]:
    """Return the rows of a query from a server's response; raise a ValueError if it has none."""
    form = ox.QueryResultsFormat.from_media_type(media_type) or ox.QueryResultsFormat.JSON
    try:
        result = rows(query, ox.parse_query_results(body, form), MOST + 1)
        if len(result) <= MOST:
            return result
        fault = f"they are more than {MOST:,}"
    except SyntaxError as error:
        fault = error.msg
    except KeyError as error:
        fault = f"they lack {error}"
    except AttributeError:
        fault = "they are of another kind"
    # Raised outside of ``except``: a traceback must not keep Oxigraph's objects after this thread.
    raise ValueError(fault)


def lines_of(body: bytes, media_type: str) -> list[bytes]:
    """Return the triples of a response as lines (see ``lines``); raise a ValueError without any."""
    form = ox.RdfFormat.from_media_type(media_type) or ox.RdfFormat.N_TRIPLES
    try:
        parsed = itertools.islice(ox.parse(body, format=form, lenient=True), MOST + 1)
        triples = [(triple.subject, triple.predicate, triple.object) for triple in parsed]
    except SyntaxError as error:
        raise ValueError(error.msg) from error
    if len(triples) > MOST:
        raise ValueError(f"more than {MOST:,} triples")
    return lines(triples)


def lines(triples: Iterable[Row]) -> list[bytes]:
    """Return triples of terms as N-Triples lines, sorted and without repetitions.

    The name of a blank node depends on its statement, since servers name it differently each
    time. Triples about blank nodes are left out.
    """
    statements = {
        (str(subject), str(predicate), value)
        for subject, predicate, value in triples
        if isinstance(subject, ox.NamedNode)
    }
    complete = (triple for triple in statements if not isinstance(triple[2], ox.BlankNode))
    lines = [f"{subject} {predicate} {value} .\n" for subject, predicate, value in complete]
    unknown = sorted(triple[:2] for triple in statements if isinstance(triple[2], ox.BlankNode))
    return [line.encode() for line in sorted([*lines, *_unknown(unknown)])]


def _unknown(statements: Iterable[tuple[str, str]]) -> Iterable[str]:
    """Yield lines of statements whose values are blank nodes, each with its own node."""
    for (subject, predicate), same in itertools.groupby(statements):
        for n, _ in enumerate(same):
            name = hashlib.blake2b(f"{subject} {predicate} {n}".encode(), digest_size=16)
            yield f"{subject} {predicate} _:{name.hexdigest()} .\n"


def is_rdf(media_type: str) -> bool:
    """Return whether a media type is a format of RDF; plain JSON does not count."""
    return media_type != "application/json" and ox.RdfFormat.from_media_type(media_type) is not None


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


_READERS: dict[str, Callable[[Any], object]] = {
    "item": lambda term: term.value[len(wikidata.ENTITY) :],
    "property": lambda term: term.value[len(wikidata.DIRECT) :],
    "value": _value,
    "string": lambda term: term.value,
    "integer": lambda term: int(term.value),
    "term": lambda term: term,
}
