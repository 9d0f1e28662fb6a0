"""Names that English texts print, and names that say who or what is meant."""

from collections import Counter

import pytest

from kgbuild.datasets.granola.plain_names import (
    is_bare_ruler,
    is_generic,
    is_unusual,
    is_unusual_institution,
    ruled_country,
    school_name,
)

COUNTS = Counter({"daryl": 4, "darryl": 1, "isaac": 50, "herman": 5, "hermann": 40})


@pytest.mark.parametrize(
    ("label", "aliases", "expected"),
    [
        ("Darryl Hannah", ["Daryl Christine Hannah"], True),
        ("Darryl Hannah", ["Daryl Christine Mann"], False),  # another person's name
        ("Isaac Newton", ["Issac Newton"], False),  # the alias is misspelt
        ("Merryl Streep", ["Meryl Streep"], True),  # neither spelling is known
        ("Ann Lee", ["Anna Lee"], False),  # another form of the name
        ("John Frederick William Herschel", ["John Herschel"], True),
        ("John Frederick William Herschel", [], False),
        ("Thomas Alva Edison", ["Thomas Edison"], True),
        ("The Rolling Stones", ["The Stones"], False),
        ('William "Bill" Henry', [], True),
        ("Paul G. Allen", ["Paul Allen"], True),
        ("Harry S. Truman", ["Harry Truman"], False),  # everybody says so
        ("Edward Higgins White", ["Ed White"], True),  # a nickname
        ("George H. W. Bush", ["George Bush"], False),  # the initials tell him from his son
        ("İlham Aliyev", ["Ilham Aliyev"], True),
        ("Recep Tayyip Erdoğan", [], False),  # English texts print it so
        ("Ann", ["An"], False),
        ("", [], False),
    ],
)
def test_unusual_names(label: str, aliases: list[str], expected: bool) -> None:
    assert is_unusual(label, aliases, lambda name: COUNTS[name]) is expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [("Louis V", True), ("Malcolm X", False), ("Louis V of France", False), ("Ann IIB", False)],
)
def test_rulers_without_a_country(label: str, expected: bool) -> None:
    assert is_bare_ruler(label) is expected


@pytest.mark.parametrize(
    ("label", "description", "country"),
    [
        ("Khalid of Saudi Arabia", "former King of Saudi Arabia (1913-1982)", "Saudi Arabia"),
        ("Beatrix of the Netherlands", "queen of the Netherlands until 2013", "the Netherlands"),
        ("Anne of Denmark", "Queen of Scotland, England and Ireland", ""),  # a consort
        ("Catherine of Aragon", "first wife of King Henry VIII", ""),
        ("Louis V of France", "king of France", ""),  # the number says who is meant
        ("Joan of Arc", "French heroine", ""),
    ],
)
def test_rulers_called_by_their_country(label: str, description: str, country: str) -> None:
    assert ruled_country(label, description) == country


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Department of Defense", True),
        ("Federal Ministry of Finance", True),
        ("Ministry of Finance of Ghana", False),
        ("Club", True),
        ("Chevrolet", False),
        ("International Court of Justice", False),
    ],
)
def test_names_that_many_institutions_have(label: str, expected: bool) -> None:
    assert is_generic(label) is expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Gap, Inc.", True),
        ("Apple Inc.", False),  # people say so
        ("BSH Hausgeräte GmbH", True),
        ("Universidade de Pernambuco", True),  # "the University of Pernambuco"
        ("Institut national du patrimoine", True),
        ("Institut d'Astrophysique Spatiale", True),
        ("Institut Le Rosey", False),
        ("École Polytechnique", False),
        ("Ascoli Picchio F.C. 1898", True),
        ("FC Schalke 04", False),
        ("University Nancy II", True),  # words in the order of another language
        ("University Hospital of Bo", False),
        ("Gunda-Werner-Institut", True),
        ("Winckelmann-Hochschule", True),
        ("", False),
    ],
)
def test_what_english_texts_call_otherwise(label: str, expected: bool) -> None:
    assert is_unusual_institution(label) is expected


def test_names_of_schools() -> None:
    labels = ("Wellington College", "Middlesex Community College", "Yale University")
    assert [*map(school_name, labels)] == ["Wellington", "Middlesex", ""]
