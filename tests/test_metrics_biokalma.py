"""The metrics of BioKaLMA: what citations, sentences and [NA] are worth."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.datasets.biokalma.scoring.citations import Citation, Pool, Sentence, Triple, parse
from kgbuild.datasets.biokalma.scoring.metrics import AttributedAnswer, Reference, score
from kgbuild.datasets.biokalma.scoring.word_entailment import SentenceClaim
from kgbuild.datasets.biokalma.scoring.word_entailment import entails_by_words as words
from kgbuild.evaluate.bootstrap import Share
from tests.scored import shares, values

ANN, BO = "Q21", "Q22"
BORN = Triple(ANN, "place of birth", "Graz")
TAUGHT = Triple(ANN, "student", "Bo Lind")
PRIZE = Triple(ANN, "award received", "Lieben Prize")
FIELD = Triple(BO, "field of work", "optics")
SEX = Triple(BO, "sex or gender", "male")  # in the pool, but nothing that the question needs
DIED = Triple(BO, "place of death", "Lund")
NEEDED = (BORN, TAUGHT, PRIZE, FIELD)
POOL = (*NEEDED, SEX, DIED)


def asked(absent: Sequence[Triple] = ()) -> Reference:
    return Reference(Pool(one for one in POOL if one not in absent), NEEDED, absent)


def answer(text: str, absent: Sequence[Triple] = ()) -> AttributedAnswer:
    question = asked(absent)
    return AttributedAnswer(parse(text, question.pool), question)


FULL = (
    "Ann was born in Graz [Q21, place of birth: Graz]. She taught Bo Lind [Q21, student: Bo Lind], "
    "a male physicist who died in Lund [Q22, sex or gender: male, place of death: Lund]. "
    "As said, that was in Graz [Q21, place of birth: Graz, place of birth: Wien]."
)
"""Six citations: five are in the pool, three of them needed, of which two are the same piece."""


TAUGHT_BY = Triple(BO, "student of", "Ann Berg")
STYRIA = Triple(ANN, "place of birth", "Styria")
WITH_EQUIVALENTS = Reference(
    Pool((*POOL, TAUGHT_BY, STYRIA)), NEEDED, (), {TAUGHT: [TAUGHT_BY], BORN: [STYRIA]}
)


@pytest.mark.parametrize(
    ("text", "exact", "equivalent"),
    [
        # The inverse and a coarser value: two of the four pieces.
        (
            "He was hers [Q22, student of: Ann Berg], from Styria [Q21, place of birth: Styria].",
            (Share(0, 2), Share(0, 4)),
            (Share(2, 2), Share(2, 4)),
        ),
        # A piece that is cited with its equivalent is one piece.
        (
            "He was a student [Q21, student: Bo Lind] of hers [Q22, student of: Ann Berg], a man "
            "[Q22, sex or gender: male].",
            (Share(1, 3), Share(1, 4)),
            (Share(2, 3), Share(1, 4)),
        ),
        ("", (Share(0, 0), Share(0, 4)), (Share(0, 0), Share(0, 4))),
    ],
)
def test_equivalents_cite_pieces(
    text: str, exact: tuple[Share, Share], equivalent: tuple[Share, Share]
) -> None:
    sentences = parse(text, WITH_EQUIVALENTS.pool)
    made = shares(score([AttributedAnswer(sentences, WITH_EQUIVALENTS)], words))
    assert (made["precision"], made["recall"]) == exact
    assert (made["equivalent_precision"], made["equivalent_recall"]) == equivalent


def test_nothing_cites_a_removed_piece() -> None:
    without = [piece for piece in (*POOL, STYRIA) if piece != BORN]
    reference = Reference(Pool(without), NEEDED, [BORN], {BORN: [STYRIA]})
    text = "She is from Styria [Q21, place of birth: Styria]."
    made = shares(score([AttributedAnswer(parse(text, reference.pool), reference)], words))
    assert made["equivalent_precision"] == Share(0, 1)
    assert made["equivalent_recall"] == Share(0, 4)


def test_what_the_code_of_the_authors_counts() -> None:
    pool = Pool(piece for piece in POOL if piece != PRIZE)
    reference = Reference(pool, NEEDED, [PRIZE], as_published=True, left_out=1)
    text = (
        "Ann was from Graz [Q21, place of birth: Graz]. Graz was lovely [Q21, place of birth: Graz]"
        ". Bo Lind was her student [NA]. She got the Lieben Prize [NA]."
    )
    made = shares(score([AttributedAnswer(parse(text, reference.pool), reference)], words))
    # The question begins with the birthplace, so that recall leaves it out.
    assert (made["precision"], made["recall"]) == (Share(2, 2), Share(0, 3))
    # The text of the value suffices for alignment.
    assert made["alignment"] == Share(2, 2)
    # What the answer does not cite is absent: the student, the prize and the field.
    assert (made["na_precision"], made["na_recall"]) == (Share(2, 2), Share(2, 3))


def test_citations_as_figure_2_counts_them() -> None:
    made = score([answer(FULL)], words)
    assert shares(made)["correctness"] == Share(5, 6)  # all but Wien
    assert shares(made)["precision"] == Share(3, 6)  # Graz counts twice
    assert shares(made)["recall"] == Share(2, 4)  # but is one piece of knowledge
    assert values(made)["f1"] == pytest.approx(2 * (1 / 2) * (1 / 2) / (1 / 2 + 1 / 2))
    assert (shares(made)["uncited"], shares(made)["unknown_items"]) == (Share(0, 1), Share(0, 6))
    # The last sentence speaks neither of a birth nor of Wien, and somebody is "male" by no word.
    assert shares(made)["alignment"] == Share(3, 6)


def test_micro_counts_citations_and_macro_answers() -> None:
    short = "Bo did optics [Q22, field of work: optics]."
    made = score([answer(FULL), answer(short)], words)
    assert (shares(made)["precision"], shares(made)["recall"]) == (Share(4, 7), Share(3, 8))
    assert values(made)["macro_precision"] == pytest.approx((3 / 6 + 1 / 1) / 2)
    assert values(made)["macro_recall"] == pytest.approx((2 / 4 + 1 / 4) / 2)
    assert values(made)["f1"] == pytest.approx(2 * (4 / 7) * (3 / 8) / (4 / 7 + 3 / 8))
    assert values(made)["macro_f1"] == pytest.approx(2 * 0.75 * 0.375 / (0.75 + 0.375))


def test_an_answer_without_citations_has_a_recall_but_no_precision() -> None:
    made = score([answer("Bo did optics [Q22, field of work: optics]."), answer("")], words)
    assert (values(made)["macro_precision"], values(made)["macro_recall"]) == (1.0, 1 / 8)
    assert shares(made)["uncited"] == Share(1, 2)


def test_nothing_cited_and_nothing_asked() -> None:
    made = score([answer("Ann was born in Graz.")], words)
    counts = shares(made)
    assert {counts[name] for name in ("correctness", "precision", "alignment")} == {Share(0, 0)}
    assert counts["recall"] == Share(0, 4)
    assert (values(made)["macro_precision"], values(made)["macro_recall"]) == (None, 0.0)
    assert (values(made)["f1"], values(made)["macro_f1"]) == (0.0, 0.0)
    assert values(made)["na_f1"] is None
    assert score([], words) == {}


def test_removed_knowledge_is_neither_correct_nor_cited() -> None:
    text = "Born in Graz [Q21, place of birth: Graz], he did optics [Q22, field of work: optics]."
    made = score([answer(text, absent=[BORN])], words)
    assert (shares(made)["correctness"], shares(made)["precision"]) == (Share(1, 2), Share(1, 2))
    assert shares(made)["recall"] == Share(1, 4)  # of the whole set
    assert shares(made)["alignment"] == Share(2, 2)  # the text says so all the same


def test_items_outside_the_pool() -> None:
    made = score([answer("He sang [Q9, occupation: singer, sex or gender: male] [Q21].")], words)
    assert shares(made)["unknown_items"] == Share(2, 3)
    assert shares(made)["correctness"] == Share(0, 3)


def test_spellings_of_one_piece_are_one() -> None:
    twins = [Triple(ANN, "student", "Bo Lind"), Triple(ANN, "student", "Bó  lind")]
    pool = Pool(twins)
    made = score(
        [AttributedAnswer(parse("So [Q21, student: BO LIND].", pool), Reference(pool, twins))],
        words,
    )
    assert (shares(made)["precision"], shares(made)["recall"]) == (Share(1, 1), Share(2, 2))


def test_marks_as_figure_3_counts_them() -> None:
    text = (
        "Ann was born in Graz [NA]. "  # absent: right
        "Her student was Bo Lind [NA]. "  # given and needed: wrong
        "It rained on many days [NA]. "  # no answer to anything: right, by section 4.5
        "A male citizen [NA]. "  # given, but not what the question needs: likewise
        "Bo Lind, a student, heard that she was born in Graz [NA]. "  # given and absent: right
        "In summary, much is unknown [NA]. "  # a filler, a refusal and a greeting: not counted
        "The knowledge does not tell where they met [NA]. I hope this helps [NA]! "
        "She won the Lieben Prize."  # absent, and not marked
    )
    made = score([answer(text, absent=[BORN, PRIZE])], words)
    assert shares(made)["na_precision"] == Share(4, 5)
    assert shares(made)["na_recall"] == Share(1, 2)
    assert values(made)["na_f1"] == pytest.approx(2 * 0.8 * 0.5 / 1.3)


def test_facts_that_imply_an_absent_piece_are_absent_too() -> None:
    # The teacher's student is the student's teacher: both are taken away, one is of the set.
    teacher = Triple(BO, "student of", "Ann Roe")
    made = score([answer("Bo learnt from Ann Roe [NA].", absent=[TAUGHT, teacher])], words)
    assert (shares(made)["na_precision"], shares(made)["na_recall"]) == (Share(1, 1), Share(0, 1))


def test_marks_count_where_something_is_absent_only() -> None:
    made = score([answer("Ann was born in Graz [NA]."), answer("So [NA].", absent=[BORN])], words)
    assert (shares(made)["na_precision"], shares(made)["na_recall"]) == (Share(1, 1), Share(0, 1))
    made = score([answer("[NA]", absent=[BORN])], words)
    assert shares(made)["na_precision"] == Share(0, 0)  # says nothing


def test_entailment_is_asked_once_and_only_of_whole_citations() -> None:
    calls = []

    def entails(claims: Sequence[SentenceClaim]) -> list[bool]:
        calls.append(list(claims))
        return [False] * len(claims)

    text = "Graz [Q21, place of birth: Graz, Wien] [Q21]. Graz [Q21, place of birth: Graz]."
    made = score([answer(text), answer(text)], entails)
    # Once each, though it is cited twice; Wien is a further value, though a wrong one.
    assert calls == [
        [SentenceClaim("Graz.", BORN), SentenceClaim("Graz.", BORN._replace(value="Wien"))]
    ]
    assert shares(made)["alignment"] == Share(0, 8)  # four pairs of each answer all the same


@pytest.mark.parametrize(
    ("sentence", "value", "entailed"),
    [
        ("Ann was born in Graz.", "Graz", True),
        ("Ann was born in GRÁZ.", "Graz", True),  # folded
        ("Ann was born near Grazia's.", "Graz", False),  # whole words
        ("She studied at Graz's University of Music.", "University of Graz", True),  # any order
        ("She studied in Graz.", "University of Graz", False),
        ("The Grazer Academy", "Academy of the Grazer", True),  # but for small words
        ("They were painters.", "painter", True),
        ("She was an Italian.", "Italians", True),
        ("He wrote symphonies and a story.", "symphony", True),
        ("She played in The The.", "The The", True),
        ("He joined Nothing.", "The The", False),
        ("He saw Stratford-upon-Avon.", "Stratford upon Avon", True),
        ("Born on 8 July 1596.", "1596-07-08", True),
        ("Born on July 8th, 1596.", "1596-07-08", True),
        ("Born on 8 Jul 1596.", "1596-07-08", True),
        ("Born 1596-07-08.", "1596-07-08", True),
        ("Born in 1596.", "1596-07-08", False),  # a year doesn't entail a day
        ("Born on 9 July 1596.", "1596-07-08", False),
        ("Born on 8 August 1596.", "1596-07-08", False),
        ("Born in July 1596.", "1596-07", True),
        ("Born on 8 July 1596.", "1596", True),
        ("Born on 3 May 986.", "0986-05-03", True),
        ("He died in 44 BC.", "44 BCE", True),
        ("He died in 44.", "44 BCE", False),
        ("Order 1596-50 was given.", "1596-50", True),  # which is no date
        ("Anything!", "!!!", False),  # no word
    ],
)
def test_entailment_by_words(sentence: str, value: str, entailed: bool) -> None:
    # The values of an occupation need no word of the relation, and the item has no name.
    assert words([SentenceClaim(sentence, Triple("Q1", "occupation", value))]) == [entailed]


@pytest.mark.parametrize(
    ("sentence", "piece", "entailed"),
    [
        ("Ann Berg was born in Graz.", BORN, True),
        ("A native of Graz, Ann sang.", BORN, True),
        ("She was born in Graz.", BORN, True),  # a pronoun may stand for her
        ("Bo Lind was born in Graz.", BORN, False),  # somebody else
        ("Ann Berg died in Graz.", BORN, False),  # another relation
        ("Ann Berg was not born in Graz.", BORN, False),
        ("Graz is the birthplace of artists.", BORN, False),
        # The connecting piece, whose value is the other name.
        ("Ann Berg and Bo Lind sang.", TAUGHT, False),
        ("Bo Lind was Ann Berg's pupil.", TAUGHT, True),
        ("Lind was Berg's pupil.", TAUGHT, True),
        ("Bo was Berg's pupil.", TAUGHT, False),
    ],
)
def test_a_sentence_states_what_it_says_of_a_pair(
    sentence: str, piece: Triple, entailed: bool
) -> None:
    assert words([SentenceClaim(sentence, piece, "Ann Berg", ("Bo Lind",))]) == [entailed]


def test_names_that_share_a_word_are_told_apart_by_the_others() -> None:
    claim = SentenceClaim("Tony Lind was born in Graz.", BORN, "Ann Lind", ("Tony Lind",))
    assert words([claim, claim._replace(sentence="Ann was born in Graz.")]) == [False, True]


citations = st.builds(Citation, st.sampled_from(POOL), st.just(True)) | st.just(
    Citation(Triple(ANN, "student", "nobody"), is_correct=False)
)
answers = st.lists(
    st.lists(
        st.builds(
            Sentence,
            st.sampled_from(["Graz", "optics in Lund", "It rained"]),
            st.lists(citations, max_size=3).map(tuple),
            st.booleans(),
        ),
        max_size=3,
    ),
    max_size=4,
)


@settings(max_examples=20)  # each draws thousands of samples
@given(answers)
def test_shares_keep_their_order(told: list[list[Sentence]]) -> None:
    made = score([AttributedAnswer(one, asked([PRIZE, BORN])) for one in told], words)
    if not told:
        return
    counts, found = shares(made), values(made)
    assert counts["precision"].hits <= counts["correctness"].hits
    assert counts["precision"].total == counts["correctness"].total == counts["alignment"].total
    assert (counts["recall"].total, counts["na_recall"].total) == (4 * len(told), 2 * len(told))
    for average in ("", "macro_"):
        f1 = found[f"{average}f1"]
        parts = [found[f"{average}{name}"] or 0 for name in ("precision", "recall")]
        assert f1 is None or min(parts) - 1e-9 <= f1 <= max(parts) + 1e-9


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("The knowledge given does not tell where Ann was born.", True),
        ("There is no information about Ann. It is about Bo.", True),
        ("I don't know who she was.", True),
        ("Ann was born in Graz [NA]. She died in Lund [NA].", False),
        ("[NA]", True),
        ("Ann was born in Graz [NA]. She died in Lund.", False),
        ("Ann was born in Graz.", False),
        ("Ann had no children.", False),
        # Whoever answers a part from memory, or cites something, answers.
        ("Ann died in Graz [NA]. It is unclear what she did [NA].", False),
        ("The pieces are about others [NA]. It is unclear what she did [NA].", True),
        ("No piece tells who Ann was. She was born in Graz [Q21, place of birth: Graz].", False),
        ("", False),
    ],
)
def test_refusals_are_recognised_by_words_or_marks(text: str, refuses: bool) -> None:
    assert answer(text).refuses is refuses
    assert shares(score([answer(text)], words))["refused"] == Share(int(refuses), 1)
