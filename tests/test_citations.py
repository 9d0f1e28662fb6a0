"""Attributed answers: their sentences, and what they cite, however it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.datasets.biokalma.scoring.citations import Citation, Pool, Sentence, Triple, parse

BORN = Triple("Q11", "place of birth", "Washington, D.C.")
LIVED = Triple("Q11", "residence", "St. Louis")
PAINTER = Triple("Q11", "occupation", "painter")
FILM = Triple("Q11", "notable work", "Star Wars: Episode IV")
FILMS = Triple("Q11", "notable work", "Star Wars: Episode IV, occupation: painter")
DAY = Triple("Q11", "date of birth", "1871-11-01")
SONG = Triple("Q12", "name", "Édith Sørby")
CHILD = Triple("Q12", "child", "Ann Sørby")
SHOW = Triple("Q12", "notable work", "M*A*S*H")
KNOWN = (BORN, LIVED, PAINTER, FILM, DAY, SONG, CHILD, SHOW)
POOL = Pool(KNOWN)


def right(*triples: Triple) -> list[Citation]:
    return [Citation(triple, is_correct=True) for triple in triples]


def wrong(*parts: str) -> Citation:
    return Citation(Triple(*parts), is_correct=False)


def cited(text: str, pool: Pool = POOL) -> list[Citation]:
    return [citation for sentence in parse(text, pool) for citation in sentence.citations]


def sentences(text: str) -> list[str]:
    return [sentence.text for sentence in parse(text, POOL)]


def test_an_answer_as_the_paper_shows_it() -> None:
    text = (
        "Bo Lind was a painter born on 1 November 1871 [NA] in Washington "
        "[Q11, occupation: painter, place of birth: Washington, D.C.], where J. Roe lived. "
        "He often moved. "
        "His child Ann [Q12, child: Ann Sørby] taught him [NA]."
    )
    assert parse(text, POOL) == [
        Sentence(
            "Bo Lind was a painter born on 1 November 1871 in Washington, where J. Roe lived.",
            tuple(right(PAINTER, BORN)),
            is_marked=True,
        ),
        Sentence("He often moved."),
        Sentence("His child Ann taught him.", tuple(right(CHILD)), is_marked=True),
    ]


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("[Q11, occupation: painter]", right(PAINTER)),
        ("[qid: Q11, name: Bo Lind, occupation: painter]", right(PAINTER)),  # a name is none
        ("[QID: q11, Bo Lind, Jr., occupation: painter]", right(PAINTER)),  # nor is this one
        ("[name: Bo Lind, qid: Q11, occupation: painter]", right(PAINTER)),
        ("[Q12, name: Edith Sørby]", right(SONG)),  # unless it is in the pool
        ("[Q11, occupation: painter][Q12, child: Ann Sørby]", right(PAINTER, CHILD)),
        ("[ Q11 ,OCCUPATION :  Painter, ]", right(PAINTER)),  # case and spaces
        ("[Q11, place of birth: Washington,D.C., occupation: painter]", right(BORN, PAINTER)),
        ("[Q11, notable work: Star Wars: Episode IV]", right(FILM)),
        ("[Q12, notable work: M*A*S*H]", right(SHOW)),  # though Markdown goes
        ('[Q11, notable work: "Star Wars: Episode IV"]', right(FILM)),
        ("[Q11, occupation: painter, occupation: painter]", right(PAINTER, PAINTER)),
        ("[Q11, date of birth: 1871-11-01]", right(DAY)),
        ("[Q11, date of birth: 11/1871]", [wrong("Q11", "date of birth", "11/1871")]),
        ("[Q11, occupation: poet]", [wrong("Q11", "occupation", "poet")]),
        ("[Q11, child: Ann Sørby]", [wrong("Q11", "child", "Ann Sørby")]),  # she is of Q12
        (
            "[Q11, place of birth: Rome, Italy, occupation: painter, genre: portrait]",
            [
                wrong("Q11", "place of birth", "Rome, Italy"),
                *right(PAINTER),
                wrong("Q11", "genre", "portrait"),
            ],
        ),
        # A further value is of the last property, a further item begins anew.
        ("[Q11, occupation: painter, poet]", [*right(PAINTER), wrong("Q11", "occupation", "poet")]),
        ("[Q11, occupation: poet, painter]", [wrong("Q11", "occupation", "poet"), *right(PAINTER)]),
        ("[Q11, occupation: painter; residence: St. Louis]", right(PAINTER, LIVED)),
        ("[Q11, place of birth: Washington, D.C.; Q12, child: Ann Sørby]", right(BORN, CHILD)),
        ("[Q11, occupation: painter, Q12, child: Ann Sørby]", right(PAINTER, CHILD)),
        ("【Q11, occupation: painter】", right(PAINTER)),
        (r"\[Q11, occupation: painter\]", right(PAINTER)),
        ("[Q11, occupation: painter or so [Q11, residence: St. Louis]", right(PAINTER, LIVED)),
        ("[Q99, occupation: painter]", [wrong("Q99", "occupation", "painter")]),
        ("[occupation: painter]", [wrong("", "occupation", "painter")]),  # of whom?
        ("[Q11]", [wrong("Q11", "", "")]),
        ("[qid: Q11, name: Bo Lind]", [wrong("Q11", "", "")]),
        ("[Q11,,,]", [wrong("Q11", "", "")]),
        ("[[Q11, occupation: painter]]", right(PAINTER)),
        ("[Q11, occupation: painter [Q12, child: Ann Sørby]]", right(PAINTER, CHILD)),
        (
            "[Q11, residence: Rome [sic], occupation: painter]",
            [wrong("Q11", "residence", "Rome [sic]"), *right(PAINTER)],
        ),
        ("[Q11, occupation: painter", right(PAINTER)),  # not closed
        ("[Q11, occupation: painter. He was tall.", right(PAINTER)),
        ("[Q11, residence: St. Louis. He was tall.", right(LIVED)),
        ("[Q11, occupation: painter\n\nHe was tall.", right(PAINTER)),
        ("[Q11,\x00occupation:\tpainter\x1b]", right(PAINTER)),
        ("painter [sic] of [a] Q11, [12:30], [https://a.b/c], [Q: it](https://a.b), [Quebec]", []),
        ("[]", []),
    ],
)  # fmt: skip
def test_citations_of_brackets(block: str, expected: list[Citation]) -> None:
    assert cited(f"He was {block}.") == expected


LENIENT = Pool(
    KNOWN,
    [
        (PAINTER, "P106:painter"),
        (PAINTER, "occupation:Q1028181"),
        (DAY, "date of birth:1 November 1871"),
    ],
)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("[Q11, P106: painter]", right(PAINTER)),
        ("[Q11, occupation: Q1028181]", right(PAINTER)),
        ("[Q11, date of birth: 1 November 1871]", right(DAY)),
        ("[Q11 | place of birth | Washington, D.C.]", right(BORN)),
        ("[Q11: place of birth: Washington, D.C.; residence: St. Louis]", right(BORN, LIVED)),
        ("['Q11', 'place of birth', 'Washington, D.C.']", right(BORN)),
        ("[Q11, occupation, painter]", right(PAINTER)),
        ("[Source: Q11, occupation: painter]", right(PAINTER)),
        ("(Q11 - occupation - painter)", right(PAINTER)),
        ("[Q11, occupation = painter]", right(PAINTER)),
        ("[Bo Lind (Q11), occupation: painter]", right(PAINTER)),
        ("[Q11 (Bo Lind), occupation: painter]", right(PAINTER)),
        ("[wd:Q11, occupation: painter]", right(PAINTER)),
        ("[Q11, occupation: poet]", [wrong("Q11", "occupation", "poet")]),
        ("[occupation: painter]", [wrong("", "occupation", "painter")]),
    ],
)
def test_forms_that_are_only_read_leniently(block: str, expected: list[Citation]) -> None:
    assert cited(f"He was {block}.", LENIENT) == expected
    if expected[0].is_correct:
        assert not any(citation.is_correct for citation in cited(f"He was {block}."))


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("He was (Q11, a painter).", ("(Q11, a painter)",)),
        ("He was [1].", ("[1]",)),
        ("He was [Q11: occupation: painter].", ("[Q11: occupation: painter]",)),
        ("He was ['Q11', 'occupation', 'painter'].", ("['Q11', 'occupation', 'painter']",)),
        ("He was [occupation: painter].", ("[occupation: painter]",)),
        ("He was [Q11, occupation: poet] (1977).", ()),
        ("Bo Lind (Q11) was tall.", ()),
    ],
)
def test_unknown_forms_are_told(text: str, unread: tuple[str, ...]) -> None:
    assert parse(text, POOL)[0].unread == unread


def test_the_longest_text_that_is_a_piece_is_one() -> None:
    text = "[Q11, notable work: Star Wars: Episode IV, occupation: painter]"
    assert cited(text) == right(FILM, PAINTER)
    assert cited(text, Pool([FILMS, FILM])) == right(FILMS)
    assert cited(text, Pool([FILMS, FILM, PAINTER])) == right(FILMS)


def test_a_triple_has_one_counterpart_however_it_is_spelled() -> None:
    twin = Triple("Q12", "child", "ann  sorby")
    pool = Pool([Triple("Q12", "child", "Ánn Sorby"), twin])
    assert pool.counterpart(twin) == Triple("Q12", "child", "Ánn Sorby")
    assert pool.counterpart(PAINTER) is None
    assert (pool.knows("Q12"), pool.knows("Q11")) == (True, False)  # asking does not add it


@pytest.mark.parametrize(
    "mark",
    [
        "[NA]",
        "[na]",
        "[ Na ]",
        "[NA][NA]",
        "[Q11, occupation: poet][NA]",
        "[N/A]",
        "(NA)",
        "【NA】",
    ],
)
def test_marks(mark: str) -> None:
    assert parse(f"He sang {mark}.", POOL)[0].is_marked


@pytest.mark.parametrize(
    "text", ["He sang.", "He sang [NASA].", "He sang (NASA).", "He sang [N.A.]."]
)
def test_brackets_that_are_no_marks(text: str) -> None:
    assert parse(text, POOL) == [Sentence(text)]


@pytest.mark.parametrize(
    "text",
    [
        "J. J. Thomson met Dr. E. Rutherford.",
        "She moved to St. Louis in 1904.",
        "It weighs 3.5 kg.",
        "He was born on 8. July 1596 in Graz.",
        "Born c. 1590, he wrote vol. 3 and so on.",
        "The U.S. Army took him.",
        "He asked: why? and went.",
        "He paid £3... or four.",
        "1. Ann was born.",
        "a film (1977, dir. by him) that he liked",
    ],
)
def test_texts_of_one_sentence(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    "parts",
    [
        ["Ann wrote.", "Bo sang!", "Who?", "99 people."],
        ["She died in 1654.", "He didn't."],
        ["He lived in Washington, D.C.", "Later he moved."],
        ["She met Henry I.", "He was king."],
        ['He said "Go."', "“Why?”", "She went."],
        ["She ended with Rome, Paris, etc.", "Then she rested."],
        ["He had 12.", "Ann had none."],
        ["東京 is large.", "東京 is old."],
    ],
)
def test_texts_of_several_sentences(parts: list[str]) -> None:
    assert sentences(" ".join(parts)) == parts


def test_lines_are_sentences_but_for_empty_ones() -> None:
    assert sentences("Life:\n- born in Graz\n\n---\n- a painter") == [
        "Life:",
        "- born in Graz ---",  # what has no word joins the one before
        "- a painter",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Bo sang{}. Ann wrote.",
        "Bo sang.{} Ann wrote.",
        "Bo sang. {} Ann wrote.",
        "Bo sang. {}\nAnn wrote.",
        "Bo sang.\n{}\nAnn wrote.",
        "{} Bo sang. Ann wrote.",
        "B{}o sang. Ann wrote.",
    ],
)
def test_a_citation_belongs_to_the_sentence_before_its_end(text: str) -> None:
    first, second = parse(text.format("[Q11, occupation: painter]"), POOL)
    assert first == Sentence("Bo sang.", tuple(right(PAINTER)))
    assert second == Sentence("Ann wrote.")


def test_citations_without_a_sentence() -> None:
    assert parse("[Q11, occupation: painter] [NA]", POOL) == [
        Sentence("", tuple(right(PAINTER)), is_marked=True)
    ]
    assert parse("", POOL) == []


def test_only_the_final_answer_counts() -> None:
    text = "<think>[Q11, residence: St. Louis]</think>Answer: Bo sang [Q11, occupation: painter]."
    text += "\n\nQuestion: Who is next?\nAnswer: Ann [Q12, child: Ann Sørby]."
    assert parse(text, POOL) == [Sentence("Bo sang.", tuple(right(PAINTER)))]


@pytest.mark.parametrize(
    "text",
    [
        "[Q11, " * 16_000,
        "[Q11" + ", occupation: painter" * 5_000 + "]",
        "[Q11" + "," * 100_000 + "]",
        "[qid" + " " * 100_000,
        "[a" + " " * 100_000,
        "[" * 100_000,
        "[" + "a: " * 33_000,
        "[Q11 " + "[x " * 33_000,
        "J. " * 33_000,
        ". " * 50_000,
        "\n" * 100_000 + "a",
        '."' * 50_000,
        "[Q11" + "\n " * 50_000,
        "[Q" + "1" * 100_000,
        "word " * 20_000,
        "(" + "q1, " * 25_000,
        "[q1, a" + " " * 100_000 + "]",
    ],
)
def test_long_answers_take_no_long_time(text: str) -> None:
    # Were any step quadratic in its 100 kB, it would take minutes.
    for pool in (POOL, LENIENT):
        parse(text, pool)


pieces = st.sampled_from(
    [
        *("[", "]", "[Q11", "[NA]", ",", ": ", ". ", "\n", " ", "A", "b", "[sic]", "Q11", "qid:"),
        *("occupation: painter", "place of birth: Washington, D.C.", "[Q12, child: Ann Sørby]"),
    ]
)


@given(st.one_of(st.text(), st.lists(pieces).map("".join)), st.sampled_from([POOL, LENIENT]))
def test_any_text_can_be_read(text: str, pool: Pool) -> None:
    for sentence in parse(text, pool):
        for citation in sentence.citations:
            assert citation.is_correct == (citation.triple in KNOWN)


@given(st.lists(st.sampled_from([one for one in KNOWN if one.qid == "Q11"]), min_size=1))
def test_cited_knowledge_is_recognised(triples: list[Triple]) -> None:
    said = ", ".join(f"{triple.property}: {triple.value}" for triple in triples)
    assert cited(f"He was so [Q11, {said}].") == right(*triples)
