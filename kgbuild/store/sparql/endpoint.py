"""A SPARQL endpoint that answers the same queries as a store.

A query is posted as a form, and rows come as JSON or XML, by the protocol of SPARQL 1.1
(https://www.w3.org/TR/sparql11-protocol/). Large results are requested in pages, in a fixed order.
Triples are requested with SELECT, too: the result of CONSTRUCT may have fewer triples than the rows
that a limit counts, and N-Triples that are cut off after a line look complete. ``net/waits.py``
decides how often a failed request is repeated.
"""

import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO
from urllib.parse import urlencode

from kgbuild.errors import KgbuildError, WrongCallError
from kgbuild.files.atomic_files import write_bytes
from kgbuild.net import failures, urls
from kgbuild.net.http import Client, HttpAnswer
from kgbuild.store.sparql import parameters, queries, terms
from kgbuild.store.sparql.queries import Query
from kgbuild.store.sparql.terms import Param, Row, Term

PAGE = 10_000
"""Number of rows of a page: some public services return at most this number."""
_MIN_LIMIT = 100
"""Minimum number of rows of a result that a server may have cut off."""
_BATCH_SIZE = 200
"""Maximum number of values of a list parameter in a query."""
_NOT_FOUND = 404
_FORBIDDEN = (401, 403)
_UNDECLARED = re.compile(
    r"(?:undefined (?:namespace )?|unresolved |unknown )prefix|prefix not found", re.IGNORECASE
)
_TIME_OUT = re.compile(
    r"TimeoutException|tim(?:ed|e|ing)[ -]?out|estimated execution time", re.IGNORECASE
)
"""What a server says of a query that took too long, often after the text of the query."""
_LATER = "Try again later, or ask for less."
_ROWS = f"{terms.RESULTS}, application/sparql-results+xml;q=0.8"
"""The media types of rows."""


class Endpoint:
    """A SPARQL endpoint at a URL, which may contain a user's name and password.

    If ``cache`` is a folder, each answer is saved in it, and no query is sent twice.

    Raises:
        WrongCallError: the URL is invalid.
        KgbuildError: no server answers there; the endpoint is overloaded, or
            gets too many requests; the endpoint does not run a query; the endpoint answers with
            something other than rows.
    """

    def __init__(self, url: str, client: Client, cache: Path | None = None):
        self.name = failures.printable(urls.public(url))
        self._url = url
        self._client = client
        self._cache = cache
        self._returned = _MIN_LIMIT  # number of rows that the server is known to return
        try:
            urls.parse_web(url)
        except ValueError as error:
            raise self._absent(str(error), WrongCallError) from error

    def select(self, query: str, **params: Param) -> list[Row]:
        """Run ``queries/QUERY.rq``, and return its rows in the order of its ORDER BY, if any.

        Raises:
            WrongCallError: the parameters are not those that the file declares, or invalid.
        """
        loaded = queries.load(query)
        columns = "".join(f" ?{name}" for name, _ in loaded.columns)
        is_ordered = "ORDER BY" in loaded.text or not columns
        order = "" if is_ordered else f"\nORDER BY {_order(name for name, _ in loaded.columns)}"
        text = parameters.insert_terms(loaded.text, terms.single_terms(loaded, params))
        rows: list[Row] = []
        for lists in _batches(loaded, params):
            rows += self._rows(loaded, parameters.insert_lists(text, lists), order)
        return rows

    def _rows(self, query: Query, text: str, order: str) -> list[Row]:
        """Return all rows of a query.

        ``order`` is an ORDER BY that only results of several pages need, because it is slow.
        """
        page = self._page(query, f"{text}\nLIMIT {PAGE}")
        if self._is_complete(query, text, len(page)):
            return page
        return list(self._pages(query, text + order))

    def _is_complete(self, query: Query, text: str, count: int) -> bool:
        """Return whether a first page of ``count`` rows has all rows of a query.

        Some servers have a lower limit, such as a thousand rows, and do not report it. So a page
        that is larger than all before is followed by a request for one more row. A server that
        returns more rows than PAGE ignores limits.
        """
        if count == PAGE:
            return False
        if count > PAGE or count < self._returned:
            return True
        if self._page(query, f"{text}\nLIMIT 1 OFFSET {count}"):
            return False
        self._returned = count + 1
        return True

    def _pages(self, query: Query, text: str) -> Iterator[Row]:
        previous: list[Row] = []
        start = 0
        while page := self._page(query, f"{text}\nLIMIT {PAGE} OFFSET {start}"):
            if page == previous:
                raise self._faulty(query.name, "the same page comes again")
            yield from page
            if len(page) > PAGE or len(page) < len(previous):
                return
            previous = page
            start += len(page)

    def _page(self, query: Query, text: str) -> list[Row]:
        address = urls.without_credentials(self._url)
        key = hashlib.sha256(f"{address}\n{text}".encode()).hexdigest()
        path = self._cache / key if self._cache else None
        if path and path.exists():
            media_type, _, body = path.read_bytes().partition(b"\n")
            return terms.rows_of(query, body, media_type.decode())
        answer = self._ask(query.name, text, _ROWS)
        try:
            rows = terms.rows_of(query, answer.body, answer.media_type)
        except ValueError as error:
            raise self._unreadable(query.name, answer, error) from error
        if path:
            write_bytes(path, answer.media_type.encode() + b"\n" + answer.body)
        return rows

    def answer(self, text: str, form: str | None, file: IO[bytes]) -> None:
        """Send a query of a user as it is, and write the result (see ``terms.write_result``).

        Raises:
            WrongCallError: the result is not of this form.
        """
        answer = self._ask("of the user", text, f"{_ROWS}, {terms.TRIPLES}, text/turtle;q=0.8")
        try:
            terms.convert_result(answer.body, answer.media_type, form, file)
        except ValueError as error:
            raise self._unreadable("of the user", answer, error) from error
        file.seek(0)

    def _ask(self, name: str, text: str, media_types: str) -> HttpAnswer:
        headers = {"Accept": media_types, "Content-Type": "application/x-www-form-urlencoded"}
        try:
            answer = self._client.ask(self._url, headers, urlencode({"query": text}).encode())
        except failures.UnansweredError as error:
            if error.status:
                raise KgbuildError(
                    f"{self.name} is too busy to answer: {error.detail}. Try again later."
                ) from error
            if error.lasts:
                raise self._absent(error.detail) from error
            raise self._faulty(name, error.detail, _LATER) from error
        except failures.RefusedError as error:
            if error.status == _NOT_FOUND:
                raise self._absent(error.detail) from error
            raise self._refusal(name, error) from error
        if answer.is_page:
            raise self._faulty(name, "an HTML page", "Use the URL of a SPARQL endpoint.")
        return answer

    def _absent(self, detail: str, kind: type[KgbuildError] = KgbuildError) -> KgbuildError:
        return kind(
            f"No SPARQL endpoint answers at {self.name}: {detail}. "
            "Use the URL for queries, such as https://query.wikidata.org/sparql."
        )

    def _unreadable(self, query: str, answer: HttpAnswer, error: ValueError) -> KgbuildError:
        if "csv" in answer.media_type:  # it does not tell items from texts
            return self._faulty(query, "it is CSV", "kgbuild needs JSON, XML or TSV.")
        return self._faulty(query, answer.describe(error))

    def _faulty(self, query: str, detail: str, advice: str = "") -> KgbuildError:
        is_late = _TIME_OUT.search(detail)
        advice = advice or (_LATER if is_late else "If the answer was cut off, try again.")
        return KgbuildError(
            f"{self.name} does not answer the query {query} with rows: {detail}. {advice}"
        )

    def _refusal(self, query: str, error: failures.RefusedError) -> KgbuildError:
        fault = f"{self.name} does not run the query {query}: {error.detail}"
        if _TIME_OUT.search(error.said):
            return KgbuildError(f"{fault}: its limit of time is exceeded. {_LATER}")
        advice = "The query may be too large for it, or it may not support all of SPARQL 1.1."
        if error.status in _FORBIDDEN:
            advice = (
                "It may need a user name and a password (http://NAME:PASSWORD@HOST/…), "
                "or your contact address, which you can set with KGBUILD_CONTACT."
            )
        if _UNDECLARED.search(error.said):
            advice = "An endpoint may know no prefixes: the query has to declare each with PREFIX."
        message = failures.server_message(terms.exception(error.said.encode())) or error.message
        reason = f" Its message: {message}." if message else ""
        return KgbuildError(f"{fault}.{reason} {advice}")


def _order(columns: Iterable[str]) -> str:
    """Return the conditions of an ORDER BY that leaves no order to the server.

    SPARQL does not define the order of literals with other languages or types.
    """
    return " ".join(f"STR(?{name}) LANG(?{name}) DATATYPE(?{name})" for name in columns)


def _batches(query: Query, params: dict[str, Param]) -> Iterator[dict[str, list[tuple[Term, ...]]]]:
    """Yield batches of the values of the query's list parameters, by parameter.

    A query without list parameters has a single, empty batch.
    """
    batches = [
        [(name, rows[start : start + _BATCH_SIZE]) for start in range(0, len(rows), _BATCH_SIZE)]
        for name, rows in terms.list_terms(query, params).items()
    ]
    yield from map(dict, itertools.product(*batches))
