"""Trivial players: what they see, how they learn, and which pairs they win."""

from typing import Any

import pytest

from benchmarks.truth import shortcuts as benchmark
from kgbuild.datasets.syn_qa.balance import Balance
from kgbuild.datasets.syn_qa.names import Shared, name
from kgbuild.datasets.syn_qa.shortcuts import PLAYERS, Player, shortcuts


def pair(subject: str, replacement: str, split: str = "train", **columns: Any) -> dict[str, Any]:
    return {
        "subject_qid": subject,
        "replacement_qid": replacement,
        "subject_label": subject,
        "replacement_label": replacement,
        "object_label": "Bob Lee",
        "question": f"When did {subject} marry Bob Lee?",
        "false_question": f"When did {replacement} marry Bob Lee?",
        "popularity": 5,
        "replacement_popularity": 5,
        "split": split,
        "relation": "P26",
        "relation_label": "spouse",
        **columns,
    }


def test_a_family_name_is_a_shortcut_and_the_player_finds_it() -> None:
    rows = [pair(f"Ann{n} Lee", f"Cleo{n} Roe") for n in range(4)]
    test = pair("Eve Lee", "Flo Roe", "test")
    names = PLAYERS["names"]
    assert Player(map(names, rows)).bet(names(test)) == 1
    assert shortcuts([*rows, test])[-1] == ["words", "names"]
    # "Lee" is as often right as wrong: it tells nothing.
    balanced = [*rows, *[pair(f"Gus{n} Roe", f"Hal{n} Lee") for n in range(4)]]
    words = PLAYERS["words"]
    assert Player(map(words, balanced)).bet(words(test)) == 0.5


def test_a_player_does_not_learn_from_the_pair_that_it_plays() -> None:
    (row,) = rows = [pair("Ann", "Cleo", popularity=9)]
    sides = PLAYERS["popularity"](row)
    player = Player([sides])
    assert player.bet(sides) == 1  # as a pair of another split
    assert player.bet(sides, was_trained=True) == 0.5  # there is nothing else to learn from
    assert shortcuts(rows) == [[]]


def test_without_a_split_for_training_players_learn_from_all_other_pairs() -> None:
    rows = [pair(f"Ann{n} Lee", f"Cleo{n} Roe", split) for n, split in enumerate(("test", "dev"))]
    assert shortcuts(rows) == [["words", "names", "length"]] * 2


def test_subjects_that_were_seen_as_right_are_right_again() -> None:
    rows = [pair("Ann", "Cleo"), pair("Ann", "Dora")]
    seen = PLAYERS["seen"]
    player = Player(map(seen, rows))
    assert player.bet(seen(pair("Ann", "Eve", "test"))) == 1
    assert player.bet(seen(pair("Eve", "Ann", "test"))) == 0
    assert player.bet(seen(pair("Eve", "Flo", "test"))) == 0.5


@pytest.mark.parametrize(
    ("subject", "object_", "aliases", "shared"),
    [
        ("The Bank of É. Lee and Co", "Bank for Cologne", (), Shared(1, False)),
        ("Ann Lee", "Bob LÉE", (), Shared(1, True)),
        ("Lee Roe", "Ann Lee", (), Shared(1, False)),
        ("Alan Arkin", "Alan Alda", (), Shared(1, False)),
        ("University of Texas", "University of Texas System", (), Shared(2, False)),
        ("British Columbia", "Christopher Columbus", (), Shared(1, False)),
        ("SSC Napoli", "Naples", ("Napoli", "City of Clubs"), Shared(1, False)),
        ("Chess Club", "Naples", ("Napoli", "City of Clubs"), Shared(0, False)),
        ("", "", (), Shared(0, False)),
    ],
)
def test_names_share_words(
    subject: str, object_: str, aliases: tuple[str, ...], shared: Shared
) -> None:
    assert name(subject).shared(name(object_, aliases)) == shared


def test_the_table_of_the_benchmark() -> None:
    rows = [pair(f"Ann{n} Lee", f"Cleo{n} Roe") for n in range(4)]
    rows += [pair(f"Eve{n} Lee", f"Flo{n} Roe", "test") for n in range(50)]
    head, _, all_pairs, spouses = benchmark.table(rows).splitlines()
    assert head == "| relation | test pairs | words | names | popularity | length | seen |"
    assert all_pairs == "| all | 50 | 100% | 100% | 50% | 50% | 50% |"
    assert spouses.startswith("| P26 spouse | 50 |")


def test_balance_prefers_items_that_were_right_and_the_rarer_sign() -> None:
    popularity = {"Q1": 9, "Q2": 1, "Q3": 9, "Q4": 20}
    balance = Balance(popularity.__getitem__, lambda qid: "x")
    assert balance.cost("Q1", "Q2") == balance.cost("Q1", "Q4") == 2  # neither was right so far
    balance.add("Q1", "Q2")  # a more popular subject
    assert balance.cost("Q3", "Q4") < balance.cost("Q3", "Q2")  # a less popular one restores
    assert balance.cost("Q3", "Q1") == -1  # Q1 was right once, and is as popular
