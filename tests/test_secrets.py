"""Passwords and keys in addresses: they go to their server only, and stand in no text."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kgbuild.cli import cli
from kgbuild.datasets import database
from kgbuild.errors import KgbuildError, RefusedRequestsError
from kgbuild.models.chat import Failure, Message, Reply, Request
from kgbuild.models.llm import Model
from kgbuild.net import urls
from kgbuild.net.http import Client
from tests.chat_server import Answer, ChatServer, chat_server

HI = Request((Message("user", "hi"),), 9)
PASSWORD, KEY = "hunter2-hunter2", "sk-1234567890"
BASIC = "Basic YWRhOmh1bnRlcjItaHVudGVyMg=="


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ChatServer]:
    """Run a server for which the user's ~/.netrc has a password."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ada password hunter2\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("OPENAI_API_KEY", "http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with chat_server() as running:
        yield running


def ask(url: str, folder: Path) -> Reply | Failure:
    (reply,) = Model("parrot", folder / "r.sqlite", url, pauses=[0]).ask([HI])
    return reply


@pytest.mark.parametrize("key", ["", KEY])
def test_a_server_gets_no_password_of_netrc(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert isinstance(ask(server.url, tmp_path), Reply)
    assert server.keys == [f"Bearer {KEY}" if key else None]
    with contextlib.closing(Client()) as client:
        client.ask(server.url + "/chat/completions", {}, b'{"messages": [{"content": "hi"}]}')
    assert server.keys[1] is None


def test_a_password_in_the_address_is_sent_and_not_shown(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)  # of another server
    url = server.url.replace("//", f"//ada:{PASSWORD}@") + f"?version=2&api-key={KEY}"
    assert isinstance(ask(url, tmp_path), Reply)
    assert server.keys == [BASIC]
    assert server.paths == [f"/v1/chat/completions?version=2&api-key={KEY}"]
    server.otherwise = Answer(401, body=json.dumps({"error": f"no {PASSWORD}, {url}"}))
    with pytest.raises(RefusedRequestsError) as caught:
        ask(url, tmp_path / "other")
    assert PASSWORD not in str(caught.value) and KEY not in str(caught.value)
    assert f"{server.url}?version=2&api-key=*** does not accept" in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://ada:hunter2-hunter2@127.0.0.1:9/v1?key=sk-1234567890",
        "http://ada:hunter2-hunter2@[::1/v1",
        "http://ada:hunter2-hunter2@h:port/v1",
        "ftp://ada:hunter2-hunter2@127.0.0.1/v1?token=sk-1234567890",
        "http://ada:hunter2-hunter2@ü/v1?sig=sk-1234567890",
    ],
)
def test_errors_of_addresses_show_no_secret(server: ChatServer, tmp_path: Path, url: str) -> None:
    with pytest.raises(KgbuildError) as caught:
        ask(url, tmp_path)
    for secret in (PASSWORD, KEY):
        assert secret not in str(caught.value)


def test_a_proxy_of_the_environment_is_used(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = server.url.removesuffix("/v1")
    monkeypatch.setenv("http_proxy", proxy.replace("//", f"//ada:{PASSWORD}@"))
    assert isinstance(ask("http://models.invalid/v1", tmp_path), Reply)
    assert server.paths == ["http://models.invalid/v1/chat/completions"]
    assert server.keys == [None]  # the password is the proxy's
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert isinstance(ask(server.url, tmp_path / "direct"), Reply)
    assert server.paths[1] == "/v1/chat/completions"
    monkeypatch.setenv("http_proxy", f"http://ada:{PASSWORD}@h:port")
    with pytest.raises(KgbuildError) as caught:
        ask("http://models.invalid/v1", tmp_path / "wrong")
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown", "secrets"),
    [
        ("http://h/x?a=1", "http://h/x?a=1", set()),
        ("http://u:p%40@h/x", "http://h/x", {"u:p%40", "u:p@", "p%40", "p@"}),
        ("http://h/x?api_key=a%20b&y=2#token=t", "http://h/x?api_key=***&y=2#token=***", None),
        ("http://h/?X-Amz-Signature=00ff&X-Amz-Date=1", None, {"00ff"}),
    ],
)
def test_what_of_an_address_is_secret(
    url: str, shown: str | None, secrets: set[str] | None
) -> None:
    if shown is not None:
        assert urls.public(url) == shown
    if secrets is not None:
        assert urls.secrets(url) == secrets


def test_no_secret_stands_in_a_build(
    server: ChatServer, tmp_path: Path, sample_store: Path
) -> None:
    def say(sent: dict[str, Any]) -> str:
        said = sent["messages"][-1]["content"]
        answer = said.partition("Exact answer: ")[2].partition("\n")[0]
        return f"1:: {answer}\n2:: a place" if answer else "Yes"

    server.say = say
    url = server.url.replace("//", f"//ada:{PASSWORD}@") + f"?key={KEY}"
    db = tmp_path / "sets.duckdb"
    command = ["granola", "--relations", "P19", "--limit", "1", "--store", str(sample_store)]
    command += ["--db", str(db), "--model", "parrot", "--base-url", url]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    ((options,),) = database(db).sql("SELECT options FROM builds").rows
    assert json.loads(options)["base_url"] == f"{server.url}?key=***"
    for text in (done.output, db.read_bytes().decode("latin-1")):
        assert PASSWORD not in text and KEY not in text
    wrong = ["load", f"http://ada:{PASSWORD}@127.0.0.1:9/x.nt?token={KEY}"]
    for command in (
        [*wrong, "--store", str(tmp_path / "kg")],
        ["slice", wrong[1], "-o", str(tmp_path / "s.nt"), "--property", "P31"],
        ["lookup", "x", "--endpoint", wrong[1]],
        ["ask", "granola", "--model", "m", "--base-url", wrong[1], "--db", str(db)],
    ):
        done = CliRunner().invoke(cli, command)
        assert done.exit_code in (1, 2), done.output
        assert PASSWORD not in done.output and KEY not in done.output, command
