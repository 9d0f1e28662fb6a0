"""Convert Python values to RDF terms and back: the parameters and the results of queries."""

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Any, NamedTuple, TypeAlias, TypeVar, cast

import pyoxigraph as ox

from kgbuild import wikidata
from kgbuild.errors import WrongCallError
from kgbuild.store.sparql.queries import LISTS, Query

Param: TypeAlias = str | int | tuple[str, str] | Sequence[str] | Sequence[tuple[str, str]]
"""An id, a string, an integer or a (text, language).

A list parameter is a sequence of ids, of (text, language) or of (item, property).
"""
Row: TypeAlias = tuple[Any, ...]
"""The values of a query's columns: ids and strings as str, counts as int, objects as Value.

Values of the kind "term" are RDF terms.
"""
Term: TypeAlias = ox.NamedNode | ox.Literal
Made = TypeVar("Made")

Bound: TypeAlias = str | int | float | tuple[str, str]
"""A value for a variable of a user's query: a number, a (text, language), or a text to parse.

Such a text is the id of an item, or of a property, whose statements are meant; an IRI, in <> or
with a prefix; a number; or a literal as ``"text"``, ``"text"@en`` or ``"text"^^xsd:date``. The text
in the quotes is taken as it is, without escapes.
"""

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
    """Check the names of parameters; return those that are not lists as terms.

    Raises:
        WrongCallError: a parameter is missing, unknown or invalid.
    """
    query.check(set(params))
    single = {name: kind for name, kind in query.params if kind not in LISTS}
    return _by_name(params, single, lambda kind, value: _TERMS[kind](value))


def list_terms(query: Query, params: Mapping[str, Param]) -> dict[str, list[tuple[Term, ...]]]:
    """Return the list parameters of a query as rows of terms.

    The row of a claim has four terms (see ``_row``), other rows have one.

    Raises:
        WrongCallError: a value is invalid.
    """
    lists = {name: LISTS[kind] for name, kind in query.params if kind in LISTS}
    return _by_name(params, lists, lambda kind, values: [_row(kind, value) for value in values])


def _by_name(
    values: Mapping[str, Any], kinds: Mapping[str, str], convert: Callable[[str, Any], Made]
) -> dict[str, Made]:
    """Return what ``convert`` makes of each value and its kind, by the names of the kinds.

    Raises:
        WrongCallError: a value cannot be a term.
    """
    made = {}
    for name, kind in kinds.items():
        try:
            made[name] = convert(kind, values[name])
        except ValueError as error:  # of Oxigraph: an IRI or a language is invalid
            raise WrongCallError(f"The value of ?{name} is wrong: {error}.") from error
    return made


def _row(kind: str, value: Any) -> tuple[Term, ...]:
    """Return a value as terms; those of a claim are the item and three IRIs of the property."""
    if kind != "claim":
        return (_TERMS[kind](value),)
    qid, pid = value
    iris = (wikidata.ENTITY + qid, *(namespace + pid for namespace in _PROPERTY_NAMESPACES))
    return tuple(map(ox.NamedNode, iris))


_LITERAL = re.compile(r'"(.*)"(?:@([A-Za-z0-9-]+)|\^\^(\S+))?', re.DOTALL)
_NUMBERS = (("integer", re.compile("[+-]?[0-9]+")), ("decimal", re.compile("[+-]?[0-9]*[.][0-9]+")))


def bound_terms(values: Mapping[str, Bound]) -> dict[str, Term]:
    """Return the values for the variables of a user's query as terms.

    Raises:
        WrongCallError: a value is none of those that ``Bound`` lists.
    """
    return _by_name(values, dict.fromkeys(values, ""), lambda _, value: _bound_term(value))


def _bound_term(value: Bound) -> Term:
    if isinstance(value, tuple):
        return ox.Literal(value[0], language=value[1])
    if not isinstance(value, str):
        return ox.Literal(value)
    if match := _LITERAL.fullmatch(value):
        text, language, datatype = match.groups()
        return ox.Literal(text, language=language, datatype=_iri(datatype) if datatype else None)
    for datatype, form in _NUMBERS:
        if form.fullmatch(value):
            return ox.Literal(value, datatype=ox.NamedNode(wikidata.XSD + datatype))
    if wikidata.is_id(value):
        return _TERMS["item" if value[0] == "Q" else "property"](value)
    return _iri(value)


def _iri(text: str) -> ox.NamedNode:
    """Return the IRI that is written in <> or with a prefix."""
    if text[:1] + text[-1:] == "<>":
        return ox.NamedNode(text[1:-1])
    if iri := wikidata.without_prefix(text):
        return ox.NamedNode(iri)
    raise ValueError(f"'{text}' is no id, no IRI in <>, no number and no \"text\" in quotes")


def to_text(term: Term) -> str:
    r"""Return a term as text for a query, in a form that all engines understand.

    Some engines replace ``\u0022`` before they parse a query, even in ``\\u0022``, where the first
    backslash escapes the second. So the letter after two backslashes is written as an escape.
    """
    return _BACKSLASHES.sub(lambda match: _PORTABLE.get(match[1], match[0]), str(term))


_MARGIN = 1 << 12
"""Number of bytes at either end of a response that are looked at."""


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
    if said := exception(body):
        raise ValueError(said)
    try:
        solutions = ox.parse_query_results(_repaired(body), _results_format(body, media_type))
        result = rows(query, solutions, MAX_ROWS + 1)
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


_EXCEPTION = re.compile(rb'"(?:exception|error)"\s*:')
_NODE = re.compile(rb'("type": *"bnode", *"value": *")nodeID://')
_EARLY_YEAR = re.compile(rb'(#dateTime", *"value": *"-)(\d{1,3}-)')


def _repaired(body: bytes) -> bytes:
    """Return JSON of Virtuoso 7 with names of blank nodes and years of four digits, as others have.

    Texts of literals stay: quotes in them are escaped.
    """
    if b"nodeID://" in body:
        body = _NODE.sub(rb"\1", body)
    return _EARLY_YEAR.sub(lambda match: match[1] + match[2].rjust(5, b"0"), body)


def _results_format(body: bytes, media_type: str) -> ox.QueryResultsFormat:
    """Return the format of a result: JSON by its first byte, since some servers call it a text."""
    named = None if _is_object(body) else ox.QueryResultsFormat.from_media_type(media_type)
    return named or ox.QueryResultsFormat.JSON


def _is_object(body: bytes) -> bool:
    return body[:_MARGIN].lstrip().startswith(b"{")


def exception(body: bytes) -> str:
    """Return the exception that a server reports in the JSON of a response; "" if there is none.

    QLever does so with any status, also that of a success, after rows that it has already sent;
    others call it an error.
    """
    if not _is_object(body) or not _EXCEPTION.search(body[:_MARGIN] + body[-_MARGIN:]):
        return ""
    try:
        said = json.loads(body)
        return str(said.get("exception") or said.get("error") or "")
    except ValueError:
        return ""


def lines_of(body: bytes, media_type: str) -> list[bytes]:
    """Return the triples of RDF as ``lines``; raise a ValueError for anything else, or too many."""
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


class Solutions(NamedTuple):
    """The result of a user's query: the variables, and the rows, whose values may be missing.

    Triples have the columns subject, predicate and object; ASK has the column answer.
    """

    columns: tuple[str, ...]
    rows: list[tuple[wikidata.Value | None, ...]]

    @property
    def records(self) -> list[dict[str, wikidata.Value | None]]:
        """The rows as dicts, by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


RESULT_FORMATS = {
    "csv": ox.QueryResultsFormat.CSV,
    "tsv": ox.QueryResultsFormat.TSV,
    "json": ox.QueryResultsFormat.JSON,
}
TRIPLE_FORMATS = {"nt": ox.RdfFormat.N_TRIPLES, "ttl": ox.RdfFormat.TURTLE}


def write_result(result: Any, form: str | None, file: IO[bytes]) -> None:
    """Write a result of Oxigraph in one of RESULT_FORMATS, or one of TRIPLE_FORMATS for triples.

    The form None stands for the one that ``read_result`` reads.

    Raises:
        WrongCallError: the result is not of this form.
    """
    formats = TRIPLE_FORMATS if isinstance(result, ox.QueryTriples) else RESULT_FORMATS
    result.serialize(file, _format(form, formats))


def _format(form: str | None, formats: Mapping[str, Any]) -> Any:
    form = form or ("nt" if formats is TRIPLE_FORMATS else "json")
    if form not in formats:
        kind = "triples" if formats is TRIPLE_FORMATS else "rows"
        names = " or ".join(formats)
        raise WrongCallError(
            f"The result has {kind}, and cannot be written as {form}: use {names}."
        )
    return formats[form]


def convert_result(body: bytes, media_type: str, form: str | None, file: IO[bytes]) -> None:
    """Write the response of a server like ``write_result``.

    Raises:
        WrongCallError: the result is not of this form.
        ValueError: the response is no result.
    """
    try:
        if said := exception(body):
            raise ValueError(said)
        if is_rdf(media_type) and (media_type != "text/plain" or not _is_object(body)):
            quads = ox.parse(body, ox.RdfFormat.from_media_type(media_type), lenient=True)
            triples = (quad.triple for quad in quads)
            ox.serialize(triples, file, _format(form, TRIPLE_FORMATS))
        else:
            parsed = ox.parse_query_results(body, _results_format(body, media_type))
            write_result(parsed, form, file)
    except SyntaxError as error:
        raise ValueError(error.msg) from error


def read_result(file: IO[bytes]) -> Solutions:
    """Read a result that ``write_result`` has written for the form None."""
    is_json = file.read(1) == b"{"
    file.seek(0)
    if not is_json:
        triples = ox.parse(file, format=ox.RdfFormat.N_TRIPLES, lenient=True)
        return Solutions(
            ("subject", "predicate", "object"),
            [(_value(t.subject), _value(t.predicate), _value(t.object)) for t in triples],
        )
    result = ox.parse_query_results(file, ox.QueryResultsFormat.JSON)
    if isinstance(result, ox.QueryBoolean):
        return Solutions(("answer",), [(wikidata.Value("string", str(bool(result)).lower()),)])
    rows = [tuple([None if term is None else _value(term) for term in row]) for row in result]
    return Solutions(tuple(variable.value for variable in result.variables), rows)


_DATATYPES = {
    "time": f"{wikidata.XSD}dateTime",
    "quantity": f"{wikidata.XSD}decimal",
    "point": wikidata.WKT,
}


def turtle(triples: Iterable[tuple[wikidata.Value, str, wikidata.Value]]) -> str:
    """Return triples (subject, IRI of the predicate, object) as Turtle, grouped by subject."""
    named = ((_text_of(subject), f"<{iri}>", _text_of(value)) for subject, iri, value in triples)
    rows = sorted(dict.fromkeys(named), key=lambda row: row[0])
    text = "".join(f"{' '.join(row)} .\n" for row in rows)
    prefixes = {name: iri for name, iri in wikidata.PREFIXES.items() if f"<{iri}" in text}
    parsed = ox.parse(text, format=ox.RdfFormat.N_TRIPLES, lenient=True)
    triples_of_text = (quad.triple for quad in parsed)
    result = ox.serialize(triples_of_text, format=ox.RdfFormat.TURTLE, prefixes=prefixes)
    return cast(bytes, result).decode()


def _text_of(value: wikidata.Value) -> str:
    """Return a value as N-Triples; each unknown value is a blank node of its own."""
    if value.kind in ("item", "property"):
        return f"<{wikidata.ENTITY}{value.text}>"
    if value.kind == "link":
        return f"<{value.text}>"
    if value.kind == "unknown":
        return str(ox.BlankNode())
    literal = str(ox.Literal(value.text))
    if value.kind == "text":
        return f"{literal}@{value.language}"
    return f"{literal}^^<{_DATATYPES[value.kind]}>" if value.kind in _DATATYPES else literal


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
