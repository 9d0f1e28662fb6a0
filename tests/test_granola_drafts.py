"""Turn drafts into rows: ask a model, and reject drafts without a reply."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.granola.levels.order import Gold, Levelled, Levels
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
from tests.conftest import load_text, triples
from tests.test_granola_levels import candidate
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
    folder = load_text(tmp_path_factory.mktemp("drafts"), triples("".join(people)))
    with open_store(folder) as store:
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
        levels = [Levelled(n, candidate(text, 5.0), 5.0, False, ("Lund",)) for n, text in texts]
        return levels, [*dropped]

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


def test_failures_are_rejected_and_the_others_built(
    knowledge: Knowledge, server: ChatServer, model: Model
) -> None:
    server.say = lambda sent: "Ask me later!" if asks(sent) == "Bo" else "1:: Lund\n2:: Sweden"
    completed(knowledge, [draft(3, [])], model.ask)  # the server is there, so one fault is no end
    server.plan = [Answer(400)]
    told: list[list[str]] = []
    done = completed(knowledge, three(told), model.ask)
    assert [one["subject_label"] for one in done.tables["granola_questions"]] == ["Cy"]
    assert told == [["Sweden"]]
    assert [(key, why) for key, why, _ in done.rejections] == [
        ("Q1 P19", "refused"),
        ("Q2 P19", "nonsense"),
    ]


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


@pytest.mark.parametrize(
    ("said", "stays"),
    [
        ("Yes Yes Yes Yes Yes", True),
        ("No No Yes Yes Yes", True),
        ("No Yes No Hm Yes", True),  # half of the verdicts
        ("No No No Yes Yes", False),
    ],
)
def test_the_share_of_no(
    knowledge: Knowledge, server: ChatServer, model: Model, said: str, stays: bool
) -> None:
    replies = iter(said.split())
    server.say = lambda sent: next(replies)
    kept, _ = consistent(knowledge, [draft(1, [])], model.ask)
    assert bool(kept) == stays


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
