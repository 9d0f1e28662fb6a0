"""The web server of the review page, on this machine only.

Only a browser that has the token may use it. A page of another site can make the browser send
requests to this server. But it cannot read the token, its requests lack the cookie (SameSite), and
their header Origin names the other site. After DNS rebinding, the header Host names the other site.
All ports of a machine share their cookies, so requests that write must also contain a secret that
only the page has.
"""

import contextlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import flask
import waitress
from markupsafe import Markup
from werkzeug.exceptions import HTTPException

from kgbuild.data_files import read_text
from kgbuild.datasets.views import RowView, common_label
from kgbuild.drawing.evidence import draw
from kgbuild.errors import KgbuildError, port_taken
from kgbuild.review.session import (
    MAX_LENGTH,
    MAX_NAME_LENGTH,
    ElsewhereError,
    RefusedSessionError,
    Session,
    alias,
    reviewer_of,
)
from kgbuild.wikidata import page_of

_HOST = "127.0.0.1"
_WAITRESS = {
    "max_request_body_size": 64 * 1024,  # bytes: larger than any answer
    "threads": 16,  # so that the page shows rows while answers wait for the database
    # Idle connections must not block other connections.
    "connection_limit": 1000,
    "channel_timeout": 10,  # seconds
    "cleanup_interval": 5,  # seconds
    "asyncore_use_poll": True,  # since select() is limited to 1,024 connections
}
_HEADER = "X-Kgbuild-Review"
"""In a request, the header with the secret of the page, which a form sends as a field.
In a response, whether answers were saved; without it, the page keeps the answers."""
_KEPT, _REFUSED = {_HEADER: "kept"}, {_HEADER: "refused"}


class ReviewServer:
    """A server of the page at 127.0.0.1, which listens at once; port 0 means any free port."""

    def __init__(self, session: Session, port: int, reviewer: str):
        self.token = secrets.token_urlsafe()
        app = _app(session, self.token, reviewer)
        try:
            self._server = waitress.create_server(
                app, host=_HOST, port=port, ident=None, **_WAITRESS
            )
        except OSError as error:
            raise port_taken(port, error.strerror or str(error)) from error
        self.port: int = self._server.effective_port
        app.config["PORT"] = self.port
        # Servers at other ports of this machine share its cookies, so the name has the port.
        app.config["SESSION_COOKIE_NAME"] = f"kgbuild-review-{self.port}"

    @property
    def address(self) -> str:
        """The URL to open, with the token."""
        return f"http://{_HOST}:{self.port}/?token={self.token}"

    def run(self) -> None:
        """Answer requests until the process is interrupted."""
        self._server.run()


def _app(session: Session, token: str, reviewer: str) -> flask.Flask:
    app = flask.Flask("kgbuild.review", static_folder=None)
    app.config.update(
        SECRET_KEY=secrets.token_bytes(),
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_COOKIE_HTTPONLY=True,
    )
    app.jinja_env.globals["evidence_style"] = Markup(read_text("drawing/evidence.css"))  # noqa: S704
    secret = secrets.token_urlsafe()
    pages = _ReviewPages(session, reviewer, secret)
    app.add_url_rule("/", view_func=pages.page)
    app.add_url_rule("/rows/<row_alias>", view_func=pages.row)
    app.add_url_rule("/agreement", view_func=pages.agreement)
    app.add_url_rule("/reviewer", view_func=pages.set_reviewer, methods=["POST"])
    app.add_url_rule("/answers", view_func=pages.save, methods=["POST"])
    app.before_request(lambda: _authorize(token, secret))
    app.after_request(_add_headers)
    app.register_error_handler(
        HTTPException,
        lambda error: _error_response(error.description or error.name, error.code or 500),
    )
    app.register_error_handler(ElsewhereError, lambda error: _error_response(str(error), 409))
    app.register_error_handler(RefusedSessionError, lambda error: (str(error), 400, _REFUSED))
    app.register_error_handler(KgbuildError, lambda error: _error_response(str(error), 503))
    return app


def _authorize(token: str, secret: str) -> Any:
    """Reject browsers without the token, and requests that another site makes a browser send."""
    request, port = flask.request, flask.current_app.config["PORT"]
    flask.g.nonce = secrets.token_urlsafe(16)
    if request.host not in (f"{_HOST}:{port}", f"localhost:{port}"):
        flask.abort(403, "This address does not belong to the review.")
    if request.method == "POST":
        _require_own_page(secret)
    sent_token = request.args.get("token")
    if sent_token is not None and _is_token(token, sent_token):
        flask.session["has_token"] = True
        return flask.redirect("/", 303)  # to a URL without the token
    if sent_token is not None or not flask.session.get("has_token"):
        flask.abort(403, "Open the address that 'kgbuild review' printed, with its token.")
    return None


def _require_own_page(secret: str) -> None:
    """Reject a POST request that the page of this server did not send."""
    request = flask.request
    is_own = request.headers.get("Origin") == f"http://{request.host}"
    # Not all browsers send where a request comes from.
    if not is_own or request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        flask.abort(403, "This came from another site.")
    if not _is_token(secret, request.headers.get(_HEADER) or request.form.get("secret", "")):
        flask.abort(
            403, "This page belongs to an earlier server. Open the address of the current one."
        )


def _is_token(token: str, text: str) -> bool:
    """Return whether a text is the token, in constant time."""
    return secrets.compare_digest(token.encode(), text.encode("utf-8", "replace"))


def _add_headers(response: flask.Response) -> flask.Response:
    """Add the headers that forbid contents of other sites, and caching."""
    nonce = flask.g.nonce
    policy = {
        "default-src": "'none'",
        "script-src": f"'nonce-{nonce}'",
        "style-src": f"'nonce-{nonce}'",
        "connect-src": "'self'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    response.headers.update(
        {
            "Content-Security-Policy": "; ".join(
                f"{name} {sources}" for name, sources in policy.items()
            ),
            "Cache-Control": "no-store",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            # With "no-referrer", the origin of a form would be null.
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }
    )
    return response


def _error_response(text: str, status: int) -> Any:
    """Return an error: as plain text for the script of the page, otherwise as a page."""
    if flask.request.method == "POST":
        return flask.Response(text, status, mimetype="text/plain")
    return flask.render_template("sorry.html", text=text), status


class _ReviewPages:
    """The responses of the server, one method for each URL."""

    def __init__(self, session: Session, reviewer: str, secret: str):
        self._session = session
        self._reviewer = reviewer
        self._secret = secret

    def page(self) -> Any:
        """Return the review page with its first row, or the page that asks for the reviewer.

        The parameter ``row`` is the number of the row from 1; by default, the first row that lacks
        an answer is shown.
        """
        reviewer = self._current_reviewer
        if not reviewer or "who" in flask.request.args:
            return self._ask_for_reviewer("")
        try:
            rows = self._session.rows_of(reviewer)
        except RefusedSessionError as error:
            return self._ask_for_reviewer(str(error))
        if not rows:
            return self._ask_for_reviewer(f"No row is left for {reviewer}.")
        shown = self._session.state(reviewer)
        number = flask.request.args.get("row", type=int) or _first_open(rows, shown["answers"])
        number = min(max(number, 1), len(rows))
        state = {
            "place": self._session.name,
            "secret": self._secret,
            "longest": MAX_LENGTH,
            "reviewer": reviewer,
            "number": number,
            "rows": [[alias(row.id), _keys(row)] for row in rows],
            **shown,
        }
        return flask.render_template(
            "page.html",
            session=self._session,
            state=state,
            first_row=Markup(self._render(rows[number - 1])),  # noqa: S704
        )

    @property
    def _current_reviewer(self) -> str:
        return str(flask.session.get("reviewer", self._reviewer))

    def _ask_for_reviewer(self, problem: str) -> Any:
        """Return the page that asks for the reviewer's name, with the reason if one was refused."""
        return flask.render_template(
            "reviewer.html",
            reviewer=self._current_reviewer,
            secret=self._secret,
            longest=MAX_NAME_LENGTH,
            problem=problem,
        )

    def row(self, row_alias: str) -> Any:
        """Return a row as HTML."""
        row = self._session.row(row_alias)
        return flask.abort(404) if row is None else self._render(row)

    def _render(self, row: RowView) -> str:
        def name(text: str) -> str:
            return row.text_of(text, lambda qid: common_label(qid) or self._session.label(qid))

        facts = (*row.facts, *row.background)
        drawing = Markup(draw(facts, row.subjects, name)) if facts else ""  # noqa: S704
        html = flask.render_template(
            "row.html", row=row, drawing=drawing, name=name, page_of=page_of
        )
        return str(html)

    def agreement(self) -> Any:
        """Return the page about the agreement of reviewers."""
        survivors, agreements = self._session.agreement()
        rows: list[RowView] = []
        with contextlib.suppress(RefusedSessionError):  # without a share, rows have no link
            rows = self._session.rows_of(self._current_reviewer)
        return flask.render_template(
            "agreement.html",
            selection=self._session.selection,
            survivors=survivors,
            pairs=agreements.pairs,
            disagreements=agreements.disagreements,
            places={row.id: number for number, row in enumerate(rows, 1)},
        )

    def set_reviewer(self) -> Any:
        """Store the reviewer's name in the cookie, and go to the rows."""
        try:
            reviewer = reviewer_of(flask.request.form)
            self._session.rows_of(reviewer)
        except RefusedSessionError as error:
            return self._ask_for_reviewer(str(error)), 400
        flask.session["reviewer"] = reviewer
        return flask.redirect("/", 303)

    def save(self) -> Any:
        """Save answers to questions of a row."""
        self._session.save(_request_json())
        return "", 204, _KEPT


def _keys(row: RowView) -> list[str]:
    return [*dict.fromkeys(question.key for question in row.questions)]


def _first_open(rows: Sequence[RowView], answers: Mapping[str, Mapping[str, str]]) -> int:
    """Return the number of the first row that lacks an answer, from 1; 1 if none does."""
    is_open = (not {*_keys(row)} <= answers.get(alias(row.id), {}).keys() for row in rows)
    return next((number for number, lacks in enumerate(is_open, 1) if lacks), 1)


def _request_json() -> Mapping[str, Any]:
    try:
        content = flask.request.get_json(silent=True)
    except RecursionError:
        content = None
    if not isinstance(content, dict):
        raise RefusedSessionError("This is not a JSON object.")
    return content
