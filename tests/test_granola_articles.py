"""Articles by sound, and the demonyms of countries."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.data_files import read_toml
from kgbuild.english.articles import capitalised, indefinite

AN = """
American playwright|island|Olympic medallist|umbrella organisation|uncle|Uzbek singer|Ulster poet
hour|heiress|honest man|honorary degree|honour|Édith|Österreicher|Øresund bridge|opera house
MTV award|FBI agent|NBA team|NFL club|RAF officer|S corporation|X-ray|R&B singer|EP|LP|F1 driver
SUV|L-shaped house|LGBTQ film|A-level|EU institution|IBM engineer|HTML page|NGO
8th-century church|80-metre tower|11 o'clock train|18th-century church|1800s building
11,000-seat stadium|1100-page novel|8,000 m peak|onerous task|uninhabited island|unincorporated town
unidentified object|unimportant town|unissued album|unanswered question|ugly duckling|urban district
utter failure|usher|ytterbium mine|Yves|uyezd|unarmed guard|École|“Untitled” album
East German rower|Omani|iPhone|earl
"""
A = """
European|university|unicorn|union|unit|uniform|unisex name|unanimous vote|user|usurper|utopia
Ukrainian|Ugandan|Uruguayan|Uyghur|unary minus|ukase|uveitis|NUTS region
ukulele|uranium mine|ubiquitous brand|Utah town|eulogy|ewe
one-act play|once famous band|Ouagadougou suburb|Yemeni|yacht|Hungarian|historian|Honduran|hotel
Honolulu newspaper|UN agency|UK company|U.S. state|UNESCO site|UEFA cup|UFO|NASA mission|NATO base
FIFA rule|PhD|B-side|CD|TV series|BBC programme|DJ|7th-century church|110-metre tower|1984 film
100,000-seat stadium|118-page novel|playwright|work by Ödön|Łódź suburb|U-boat|'s-Hertogenbosch club
"""


def phrases(text: str) -> list[str]:
    return [phrase for line in text.strip().splitlines() for phrase in line.split("|")]


@pytest.mark.parametrize("phrase", phrases(AN))
def test_an(phrase: str) -> None:
    assert indefinite(phrase) == f"an {phrase}"


@pytest.mark.parametrize("phrase", phrases(A))
def test_a(phrase: str) -> None:
    assert indefinite(phrase) == f"a {phrase}"


@given(st.text())
def test_any_phrase_gets_an_article(phrase: str) -> None:
    assert indefinite(phrase) in (f"a {phrase}", f"an {phrase}")


@pytest.mark.parametrize(
    ("demonym", "expected"),
    [
        ("north korean", "North Korean"),
        ("bissau-guinean", "Bissau-Guinean"),
        ("trinidadian and tobagonian", "Trinidadian and Tobagonian"),
        ("éthiopien", "Éthiopien"),
        ("McDonaldlander", "McDonaldlander"),  # capitals within a word stay
        ("", ""),
    ],
)
def test_demonyms_have_capitals(demonym: str, expected: str) -> None:
    assert capitalised(demonym) == expected


def test_demonyms_of_states() -> None:
    demonyms = read_toml("english/demonyms.toml")
    assert demonyms["Q30"] == "American"
    assert demonyms["Q145"] == demonyms["Q174193"] == "British"  # the kingdom before 1927, too
    assert demonyms["Q22"] == "Scottish" and demonyms["Q21"] == "English"
    assert demonyms["Q15180"] == "Soviet"
    assert demonyms["Q1032"] == "Nigerien" and demonyms["Q1033"] == "Nigerian"
    # The Holy Roman Empire: its people were Germans, Bohemians, Italians.
    assert "Q12548" not in demonyms


def test_the_file_of_demonyms_keeps_its_form() -> None:
    for qid, demonym in read_toml("english/demonyms.toml").items():
        assert re.fullmatch(r"Q[1-9]\d*", qid)
        assert demonym == demonym.strip() == capitalised(demonym) != ""
