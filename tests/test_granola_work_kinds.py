"""The kinds of works before their titles, and titles that are not those of works."""

import pytest

from kgbuild.datasets.granola.work_kinds import is_in_sentence_case, plain_kind


@pytest.mark.parametrize(
    ("phrase", "title", "plain"),
    [
        ("the film", "Hawaii", "the film"),
        ("the American sitcom", "Frasier", "the American sitcom"),
        ("the TV series", "Rome", "the television series"),
        ("the American TV sitcom", "Alice", "the American television sitcom"),
        # Of several genres none is kept, but what is drawn is animated.
        (
            "the American musical comedy-drama television series",
            "Glee",
            "the American television series",
        ),
        ("the American animated comedic sitcom", "Bo", "the American animated sitcom"),
        (
            "the American television comedy series",
            "30 Rock",
            "the American television comedy series",
        ),
        ("the British science fiction film", "Alien", "the British science fiction film"),
        ("the British science fiction horror film", "Alien", "the British film"),
        ("the American television soap opera", "Dallas", "the American television soap opera"),
        ("the American fiction television series", "Bo", "the American television series"),
        # The title has the genre.
        ("the American horror film", "American Horror Story", "the American film"),
        ("the British and American drama film", "Axis", "the British and American drama film"),
        ("the New Zealand horror film", "Axis", "the New Zealand horror film"),
    ],
)
def test_the_kind_of_a_work(phrase: str, title: str, plain: str) -> None:
    assert plain_kind(phrase, title) == plain


@pytest.mark.parametrize(
    ("title", "is_small"),
    [
        ("Topics in foreign direct investment", True),
        ("Hydratatie van organiese zuuranhydrieden", True),
        ("The Lord of the Rings", False),
        ("Time", False),
        ("Les enfants", False),  # a single word says nothing
        ("Gone with the Wind", False),
    ],
)
def test_titles_in_sentence_case(title: str, is_small: bool) -> None:
    assert is_in_sentence_case(title) is is_small
