"""Errors of stores, of the queries of ``queries/``, and of SPARQL endpoints."""

from pathlib import Path

from kgbuild.errors.base import KgbuildError, WrongCallError


class NoStoreError(KgbuildError):
    """Raised when there is no store at ``path``."""

    path: Path
    message = "No store at {path}. Run 'make kg', or 'kgbuild load DUMP… --store {path}'."


class NotAStoreError(WrongCallError):
    """Raised instead of replacing the folder ``path``, which holds a ``file`` no store has."""

    path: Path
    file: str
    message = "{path} is no store: it holds '{file}'. Name another folder with --store."


class StoreBusyError(KgbuildError):
    """Raised when another process is loading into ``path``."""

    path: Path
    message = "Another load into {path} is under way. Wait for its end."


class DamagedStoreError(KgbuildError):
    """Raised when a file of a store, ``path``, is missing or cannot be read."""

    path: Path
    detail: str
    message = "The store cannot be opened: {path}: {detail}. Load the dump again."


class QueryFileError(KgbuildError):
    """Raised when a file of ``queries/`` breaks the rules of its header."""

    path: str
    line: int
    detail: str
    message = "queries/{path}, line {line}: {detail}."


class QueryParameterError(KgbuildError):
    """Raised when a query is called with other parameters than its header declares."""

    query: str
    parameters: str
    passed: str
    message = "The query {query} has the parameters ({parameters}), and not ({passed})."


class NoEndpointError(KgbuildError):
    """Raised when no SPARQL endpoint answers at ``url``."""

    url: str
    detail: str
    message = (
        "No SPARQL endpoint answers at {url}: {detail}. "
        "Give the address of queries, such as https://query.wikidata.org/sparql."
    )


class BusyEndpointError(NoEndpointError):
    """Raised when the endpoint at ``url`` answers every try with: too busy."""

    message = "{url} is too busy to answer: {detail}. Call it again later."


class RefusedQueryError(KgbuildError):
    """Raised when the endpoint at ``url`` refuses a query by the HTTP status ``detail``."""

    url: str
    query: str
    detail: str
    response: str

    def _sentence(self) -> str:
        reason = f" It says: {self.response}." if self.response else ""
        advice = "It may be too much for that endpoint, or not of its SPARQL."
        if self.detail.startswith(("HTTP 401", "HTTP 403")):
            advice = (
                "It may want a name and a password, which can stand in the URL, "
                "or to know whom to tell of trouble, which KGBUILD_CONTACT says."
            )
        return f"{self.url} does not run the query {self.query}: {self.detail}.{reason} {advice}"


class NotResultsError(KgbuildError):
    """Raised when the endpoint at ``url`` answers a query with something that is no result."""

    url: str
    query: str
    detail: str

    def _sentence(self) -> str:
        fault = f"{self.url} answers the query {self.query} with something that is no result"
        advice = "If it was cut off, the same call may do better."
        if self.detail == "a page for people":
            advice = "Give the address of a SPARQL endpoint."
        return f"{fault}: {self.detail}. {advice}"
