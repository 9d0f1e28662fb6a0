"""Errors of language models, embeddings and spaCy pipelines."""

from pathlib import Path

from kgbuild.errors.base import KgbuildError, WrongCallError


class MissingExtraError(KgbuildError):
    """Raised when ``package``, which belongs to kgbuild's optional ``extra``, is not installed."""

    extra: str
    package: str
    message = "This needs {package}, which is not installed: pip install 'kgbuild[{extra}]'."


class NoModelError(WrongCallError):
    """Raised when ``model`` is not on this machine, or does not work for the reason ``detail``."""

    model: str
    detail: str

    def _sentence(self) -> str:
        if self.detail:
            return f"{self.model} cannot be used as a model: {self.detail}."
        return (
            f"There is no model '{self.model}' on this machine. Name the folder of a model, or "
            "download one first: hf download OWNER/NAME"
        )


class NoPipelineError(WrongCallError):
    """Raised when the spaCy pipeline ``model`` is not installed, or fails for ``detail``."""

    model: str
    detail: str

    def _sentence(self) -> str:
        if self.detail:
            return f"{self.model} cannot be used as a spaCy pipeline: {self.detail}."
        return (
            f"There is no spaCy pipeline '{self.model}' here. Name the folder of a pipeline, or "
            "install it, such as: python -m spacy download en_core_web_sm"
        )


class NoKeyError(WrongCallError):
    """Raised when the server at ``url`` needs an API key and OPENAI_API_KEY is not set."""

    url: str
    message = (
        "Set OPENAI_BASE_URL to the server of the model, such as http://localhost:8000/v1, "
        "or set OPENAI_API_KEY to use {url}."
    )


class UnreachableServerError(KgbuildError):
    """Raised when no server of language models answers at ``url``."""

    url: str
    detail: str
    message = (
        "No server at {url}: {detail}. "
        "Start it, or name another with --base-url or OPENAI_BASE_URL."
    )


class RefusedRequestsError(KgbuildError):
    """Raised when the server at ``url`` refuses requests to ``model`` with an HTTP ``status``."""

    url: str
    model: str
    status: int
    detail: str

    def _sentence(self) -> str:
        if self.status == 401:
            return f"{self.url} does not accept the key in OPENAI_API_KEY: {self.detail}."
        if self.status == 404:
            return (
                f"{self.url} has no model '{self.model}', or the URL is wrong "
                f"(most end in /v1): {self.detail}."
            )
        return f"{self.url} refuses the requests to '{self.model}': {self.detail}."


class ReplyCacheError(KgbuildError):
    """Raised when the file ``path`` cannot be used as the cache of models' replies."""

    path: Path
    detail: str
    message = (
        "{path} cannot be used to cache the replies of models: {detail}. It keeps the replies "
        "that it has: free some space if its disk is full, or name another file."
    )


class LeftOutError(KgbuildError):
    """Raised when ``count`` of ``total`` requests got no answer; the other answers are written."""

    count: int
    total: int
    message = (
        "{count:,} of {total:,} requests got no answer, and the answers to the others are written. "
        "Run the command again to ask for them, or pass --allow-missing to do without."
    )


class NoAnswersError(KgbuildError):
    """Raised when none of ``questions`` questions got one; the first failed for ``reason``."""

    questions: int
    reason: str
    detail: str
    message = (
        "Nothing was written: none of {questions:,} questions got an answer. The first failed: "
        "{reason}: {detail}."
    )
