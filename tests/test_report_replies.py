"""Single replies in the report: their verdicts, reasons and evidence, and what filters show."""

import json
import re
from pathlib import Path
from typing import Any

from kgbuild.datasets import database
from tests.chat_server import ChatServer
from tests.conftest import invoke


def test_replies_are_shown_with_verdicts_and_filtered(
    server: ChatServer, sample_store: Path, tmp_path: Path
) -> None:
    """Of four questions, the models differ on one, and both are right, wrong and silent on one."""
    where = {"KGBUILD_STORE": str(sample_store), "OPENAI_BASE_URL": server.url}

    def run(*arguments: str) -> None:
        assert invoke(tmp_path, *arguments, **where, KGBUILD_DB="sets.duckdb").returncode == 0

    run("granola", "--relations", "P19", "--limit", "4")
    answers = database(tmp_path / "sets.duckdb").sql(
        "SELECT question, answer FROM granola_answers JOIN granola_questions USING (question_id)"
        " WHERE level = 1 ORDER BY question_id"
    )
    (differ, _), (right, truth), (silent, _), (wrong, _) = answers.rows

    def say(sent: dict[str, Any]) -> str:
        prompt = sent["messages"][-1]["content"]
        if differ in prompt:
            return "IDK" if sent["model"] == "shy" else "<b>Narnia</b>"
        return (
            truth
            if right in prompt
            else "Narnia\nConfidence: 80%"
            if wrong in prompt
            else "I don't know."
        )

    server.say = say
    for model in ("bold", "shy"):
        run("ask", "granola", "--model", model, "--protocol", "vanilla")
    run("report", "-o", "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    section = page.partition('<section id="replies"')[2]
    cards = re.findall(r'<article class="sample([^"]*)".*?</article>', section, re.DOTALL)
    texts = re.split(r'<article class="sample', section)[1:]
    assert cards == [
        " is-changed is-wrong is-abstained",
        *(" is-wrong", " is-abstained", " is-right"),
    ]
    assert [differ in texts[0], wrong in texts[1], silent in texts[2], right in texts[3]] == [
        True
    ] * 4
    assert "&lt;b&gt;Narnia&lt;/b&gt;" in texts[0] and "<b>" not in section  # replies are hostile
    assert "bold · vanilla: wrong (" in texts[0] and "shy · vanilla: abstained" in texts[0]
    assert "bold · vanilla, confidence 80%: wrong (" in texts[1]
    assert "bold · vanilla: right (" in texts[3] and "Its answers, the finest first" in texts[3]
    assert re.findall(r'name="filter" value="(\w+)"', section) == [
        *("changed", "wrong", "abstained", "right")
    ]
    grades = {differ: "wrong", wrong: "1"}  # and no grade that can be read for the others

    def grade(sent: dict[str, Any]) -> str:
        prompt = sent["messages"][-1]["content"]
        found = next((grades[asked] for asked in grades if asked in prompt), "?")
        return json.dumps({"reason": f"so says {sent['model']}", "grade": found})

    server.say = grade
    run("score", "granola", "--grader", "judge", "--base-url", server.url)
    count = len(server.sent)
    run("report", "-o", "graded.html")
    assert len(server.sent) == count  # the grades are kept
    section = (tmp_path / "graded.html").read_text(encoding="utf-8")
    section = section.partition('<section id="replies"')[2]
    texts = re.split(r'<article class="sample', section)[1:]
    (text,) = (text for text in texts if wrong in text)
    assert text.startswith(" is-wrong is-graded")  # the rules decide
    by = r"right by judge judge \(control \d+/40\) \(so says judge\)"
    assert re.search(rf"bold · vanilla, confidence 80%: wrong \([^)]+\); {by}", text)
    (text,) = (text for text in texts if differ in text)
    assert "; wrong by judge judge (control " in text and "shy · vanilla: abstained (" in text
    assert 'value="graded"' in section


def test_a_database_without_replies_has_no_such_section(sample_store: Path, tmp_path: Path) -> None:
    where = {"KGBUILD_STORE": str(sample_store), "KGBUILD_DB": "sets.duckdb"}
    assert invoke(tmp_path, "granola", "--limit", "1", **where).returncode == 0
    assert invoke(tmp_path, "report", "-o", "report.html", **where).returncode == 0
    assert 'id="replies"' not in (tmp_path / "report.html").read_text(encoding="utf-8")
