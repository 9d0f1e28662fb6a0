"""Turn drafts into rows: ask a model, and reject drafts without a reply."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.granola.levels.order import Gold, Levelled, Levels, RawAnswer
from kgbuild.datasets.granola.questions.drafts import (
    RowDraft,
    complete,
    consistent,
    with_distinct_questions,
)
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import open_store
from kgbuild.models.llm import Model
from kgbuild.rows import Built, Evidence, Progress, no_progress
from tests.chat_server import Answer, ChatServer
from tests.conftest import loaded, triples
from tests.test_granola_profile import HUMAN, about, item

NAMES = ("Ann", "Bo", "Cy")


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Knowledge]:
    """Return what a store knows of two people who are described, and one who is not."""
    people = (
        item("Q1", "Ann", HUMAN, about("Swedish novelist")),
        item("Q2", "Bo", HUMAN, about("asteroid")),
        item("Q3", "Cy", HUMAN),
        item("Q10", "Lund", None, about("city in Scania, Sweden")),
    )
    with open_store(loaded(tmp_path_factory.mktemp("drafts"), triples("".join(people)))) as store:
        yield store.knowledge(catalog().kinds)


@pytest.fixture
def model(server: ChatServer, tmp_path: Path) -> Model:
    """Return a model that asks one thing after the other, and tries twice."""
    return Model("parrot", tmp_path / "replies.sqlite", server.url, concurrency=1, pauses=(0, 0.01))


def draft(number: int, told: list[list[str]], dropped: Sequence[tuple[str, str]] = ()) -> RowDraft:
    """Return the draft of a question; ``told`` collects what a model says to it."""
    name = NAMES[number - 1]
    triple = Evidence(f"Q{number}", "P19", "Q10")

    def level(said: Sequence[str]) -> Levels:
        told.append([*said])
        texts = enumerate(("Lund", *said), 1)
        return [
            Levelled(
                n,
                RawAnswer(text, (), None, "place", 5.0, frozenset(), frozenset(), ()),
                5.0,
                False,
                ("Lund",),
            )
            for n, text in texts
        ], [*dropped]

    return RowDraft(
        key=f"Q{number} P19",
        relation="P19",
        question=f"Where was {name} born?",
        subject=f"Q{number}",
        mention=None,
        gold=[Gold(("Lund",), "Q10", (triple,))],
        resolution="stated",
        source="P19",
        level=level,
    )


def completed(
    knowledge: Knowledge,
    drafts: Sequence[RowDraft],
    ask: Ask | None,
    progress: Progress = no_progress,
) -> Built:
    return complete(knowledge, "P19", drafts, [], 0.0, False, ask, progress)


def three(told: list[list[str]]) -> list[RowDraft]:
    return [draft(number, told) for number in (1, 2, 3)]


def asks(sent: dict[str, Any]) -> str:
    """Return whom a request is about."""
    said = sent["messages"][-1]["content"]
    return next(name for name in NAMES if f"Where was {name} born?" in said)


def test_without_a_model(knowledge: Knowledge) -> None:
    told: list[list[str]] = []
    counted: list[tuple[str, int, int]] = []
    done = completed(knowledge, three(told), None, lambda *step: counted.append(step))
    assert told == [[], [], []]
    assert [one["subject_label"] for one in done.tables["granola_questions"]] == ["Ann", "Bo", "Cy"]
    assert [one["answer"] for one in done.tables["granola_answers"]] == ["Lund"] * 3
    assert done.rejections == []
    assert counted == [("P19", 0, 3), ("P19", 1, 3), ("P19", 2, 3)]


def test_one_question_about_two_subjects_is_left_out() -> None:
    drafts = [draft(1, []), draft(2, []), draft(3, [])._replace(question=draft(1, []).question)]
    kept, rejections = with_distinct_questions(drafts)
    assert kept == [drafts[1]]
    assert [(r.candidate, r.reason) for r in rejections] == [
        (drafts[n].key, "same name") for n in (0, 2)
    ]


def test_dropped_answers_are_rejections_of_the_question(knowledge: Knowledge) -> None:
    done = completed(knowledge, [draft(1, [], [("a city", "trivial")])], None)
    assert done.rejections == [("Q1 P19", "trivial", "a city")]


def test_a_model_gives_coarser_answers(
    knowledge: Knowledge, server: ChatServer, model: Model
) -> None:
    server.say = lambda sent: f"1:: Lund\n2:: home of {asks(sent)}\n3:: Sweden"
    told: list[list[str]] = []
    done = completed(knowledge, three(told), model.ask)
    # The first is the gold answer itself.
    assert told == [[f"home of {name}", "Sweden"] for name in NAMES]
    assert len(done.tables["granola_answers"]) == 9
    # It knows what the question is about, as far as the store does, and the answer.
    assert all("city in Scania, Sweden" in asked for asked in server.asked)
    assert [("novelist" in asked, "asteroid" in asked) for asked in server.asked] == [
        (True, False),
        (False, True),
        (False, False),
    ]


NONSENSE = Answer(body="<html>busy</html>")


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ([Answer(500), Answer(500)], "no answer"),
        ([Answer(400)], "refused"),
        ([NONSENSE, NONSENSE], None),  # what it is called, test_llm.py tells
    ],
)
def test_failures_are_rejected_and_the_others_built(
    knowledge: Knowledge, server: ChatServer, model: Model, plan: list[Answer], reason: str | None
) -> None:
    server.say = lambda sent: "1:: Lund\n2:: Sweden"
    model.ask([])  # nothing is sent
    completed(knowledge, [draft(3, [])], model.ask)  # the server is there, so one fault is no end
    server.plan = plan
    told: list[list[str]] = []
    done = completed(knowledge, three(told), model.ask)
    assert [one["subject_label"] for one in done.tables["granola_questions"]] == ["Bo", "Cy"]
    assert told == [["Sweden"], ["Sweden"]]
    ((key, why, _),) = done.rejections
    assert key == "Q1 P19"
    assert why in ((reason,) if reason else ("nonsense", "no answer"))


@pytest.mark.parametrize("text", ["I cannot help with that.", "", "2:: Sweden\n1:: Lund"])
def test_a_model_that_answers_nonsense(
    knowledge: Knowledge, server: ChatServer, model: Model, text: str
) -> None:
    server.say = lambda sent: text if asks(sent) == "Bo" else "1:: Lund\n2:: Sweden"
    done = completed(knowledge, three([]), model.ask)
    assert [one["subject_label"] for one in done.tables["granola_questions"]] == ["Ann", "Cy"]
    assert [(key, why) for key, why, _ in done.rejections] == [("Q2 P19", "nonsense")]


def test_after_a_fault_that_passes_all_is_there(
    knowledge: Knowledge, server: ChatServer, model: Model
) -> None:
    server.say = lambda sent: "1:: Lund"
    server.plan = [Answer(500), Answer(), Answer(429)]
    assert len(completed(knowledge, three([]), model.ask).tables["granola_questions"]) == 3
    assert len(server.sent) == 5


# Whether the description fits


def test_a_description_of_something_else(
    knowledge: Knowledge, server: ChatServer, model: Model
) -> None:
    server.say = lambda sent: (
        "No" if "asteroid" in sent["messages"][-1]["content"] else "Yes, it may be."
    )
    drafts = three([])
    kept, rejections = consistent(knowledge, drafts, model.ask)
    assert kept == [drafts[0], drafts[2]]
    assert rejections == [("Q2 P19", "inconsistent", "asteroid: 100% say no")]
    # Each description five times; of Cy there is none.
    assert len(server.sent) == 10


def test_failed_verdicts_reject_the_question(
    knowledge: Knowledge, server: ChatServer, model: Model
) -> None:
    server.say = lambda sent: "Hm" if asks(sent) == "Ann" else "Yes"
    drafts = three([])
    kept, rejections = consistent(knowledge, drafts, model.ask)
    assert kept == drafts[1:]
    assert rejections == [("Q1 P19", "nonsense", "neither yes nor no")]


def test_nothing_to_ask(knowledge: Knowledge, server: ChatServer, model: Model) -> None:
    assert consistent(knowledge, [], model.ask) == ([], [])
    done = completed(knowledge, [], model.ask)
    assert (done.rows, done.rejections, done.candidates) == (0, [], 0)
    assert server.sent == []
