"""Exchange requests and replies with a server's batch API as files, without a connection.

A file of requests has a line of JSON for each request, with the key of the request in the cache as
its ``custom_id``. The server returns a file with a line for each request, in any order.

Source: OpenAI's guide to its batch API; vLLM's ``run-batch`` reads and writes the same files.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kgbuild.errors import TableFileError
from kgbuild.models.api_formats import ApiFormat
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.models.refusals import read_refusal


def lines(requests: Mapping[str, Request], model: str, api: ApiFormat) -> Iterator[str]:
    """Yield the lines of a file of requests to a model; the keys are those of the cache."""
    for key, request in requests.items():
        record = {
            "custom_id": key,
            "method": "POST",
            "url": "/v1" + api.path,
            "body": api.body(model, request, _parameters(request, api)),
        }
        yield json.dumps(record, ensure_ascii=False) + "\n"


def read(
    path: Path, requests: Mapping[str, Request], api: ApiFormat
) -> Iterator[tuple[str, Reply | Failure]]:
    """Yield the key and the result of requests in the file ``path``, not those of other requests.

    Raises:
        TableFileError: the file cannot be read, or a line is not a result.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    key, status, body, error = _parse(path, number, line)
                    if key in requests:
                        yield key, _result(requests[key], status, body, error, api)
    except OSError as error:
        raise TableFileError(path, error.strerror or str(error)) from error


def _parse(path: Path, number: int, line: bytes) -> tuple[str, int, Any, Any]:
    """Return the key, the HTTP status, the body and the error of the batch in a line."""
    try:
        record = json.loads(line.decode("utf-8-sig"))
        key, outcome = record["custom_id"], record.get("response") or {}
        status, body = outcome.get("status_code", 0), outcome.get("body")
        if not (isinstance(key, str) and isinstance(status, int)):
            raise TypeError(f"the id {key} or the status {status}")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise TableFileError(path, f"line {number:,} is not a result of a batch") from error
    return key, status, body, record.get("error")


def _result(
    request: Request, status: int, body: Any, error: object, api: ApiFormat
) -> Reply | Failure:
    """Return the reply or the failure in a line; ``error`` is that of the batch, if any."""
    if status != 200 or error:
        text = json.dumps(error or body)
        return Failure("refused", read_refusal(status, text, request.parameters).detail)
    try:
        reply = api.read(json.dumps(body), request, 0.0)
    except ValueError as unreadable:
        return Failure("nonsense", str(unreadable))
    return reply._replace(parameters=json.dumps(_parameters(request, api), sort_keys=True))


def _parameters(request: Request, api: ApiFormat) -> dict[str, Any]:
    return {api.names.get(name, name): value for name, value in request.parameters.items()}
