"""What people are called, and what they are said to be: "Rafael Correa", "the French cyclist"."""

from collections import Counter

import pytest

from kgbuild.datasets.granola.noun_phrases import NounPhrases
from kgbuild.datasets.granola.usual_names import has_middle_name, has_title, is_formal

PEOPLES = {"American", "Austrian", "Chilean", "English", "French", "Irish", "Polish"}
FIRST_NAMES = Counter(
    {"eduard": 9, "graham": 2, "hermann": 9, "moritz": 4, "suzy": 2, "emil": 9, "friedrich": 9}
)


@pytest.mark.parametrize(
    ("description", "phrase"),
    [
        # Other words are usual.
        ("French road bicycle racer", "the French cyclist"),
        ("English film score composer", "the English film composer"),
        ("Irish historian of classical antiquity", "the Irish ancient historian"),
        ("English Romantic poet", "the English Romantic poet"),
        ("Irish ballet dancer", "the Irish ballet dancer"),
        # In the United States, football is another game.
        ("Chilean football player", "the Chilean footballer"),
        ("American football player", "the American football player"),
        # The second noun says nothing new, or the first one.
        ("English singer-songwriter and musician", "the English singer-songwriter"),
        ("English musician and songwriter", "the English songwriter"),
        ("American physicist and scientist", "the American physicist"),
        ("American recording artist, actress and model", "the American singer and actress"),
        ("American musician, rapper and singer", "the American rapper and singer"),
        # People are known for any of what a description says, so all is said, up to three nouns.
        ("American actor and film director", "the American actor and film director"),
        ("American actor, director and writer", "the American actor and writer"),
        (
            "American comedian, composer, pianist and actor",
            "the American comedian, composer and pianist",
        ),
        ("Irish botanist, chemist, humanist, and poet", "the Irish botanist, chemist and poet"),
        ("Irish writer, playwright and critic", "the Irish writer, playwright and critic"),
        ("Irish historian, academic and teacher", "the Irish historian"),
        ("Irish historian of ancient history and professor", "the Irish ancient historian"),
        (
            "Irish historian of science and technology",
            "the Irish historian of science and technology",
        ),
        ("Irish professor and jurist", "the Irish jurist"),
        ("Irish professor, physician and chemist", "the Irish physician and chemist"),
        ("Chilean association football player and manager", "the Chilean footballer and manager"),
        ("American film and television producer", "the American film and television producer"),
        ("American lawyer and president of a company", "the American lawyer"),
        ("American actor and singer", "the American actor and singer"),
        ("American singer and actor", "the American singer and actor"),
        ("American film director and actor", "the American film director and actor"),
        ("American film editor and film director", "the American film editor and director"),
        ("English stage and film director", "the English stage and film director"),
        ("American actress and film studio executive", "the American actress and film executive"),
        ("Princess of Siam", ""),  # "the princess" says nothing
        # A politician is no holder of an office that others have by now.
        ("American physician and politician", "the American physician and politician"),
        ("Polish politician and prime minister", "the Polish politician"),
        ("Austrian diplomat and chancellor", "the Austrian diplomat and politician"),
        ("Irish chemist and politician", "the Irish chemist and politician"),
        ("56th Governor of New York", ""),  # nobody counts governors
        ("first Secretary of the Treasury and Founding Father of the United States", ""),
        ("Former Governor of Maine", "the former Governor of Maine"),
        ("former First Lady of the United States", "the former First Lady of the United States"),
    ],
)
def test_what_somebody_is(description: str, phrase: str) -> None:
    assert NounPhrases(PEOPLES.__contains__).phrase(description, is_person=True) == phrase


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("56th Governor of New York", True),
        ("former 8th President of Ireland (1990-1997)", True),
        ("Governor of Maine", False),  # without a number
        ("first emperor of the Roman Empire", False),  # no politician
    ],
)
def test_offices_with_numbers(description: str, expected: bool) -> None:
    assert NounPhrases(PEOPLES.__contains__).is_ordinal_office(description) is expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("William Thomson, 1st Baron Kelvin", True),  # people say Lord Kelvin
        ("Frederick III, Holy Roman Emperor", False),
        ("Donald Trump, Jr.", False),
        ("Maximilian Prinz von Bayern", True),
        ("Ludwig Anton von Pfalz-Neuburg", True),
        ("Roman Herzog", False),  # a surname
        ("Andrew (Frank) Johnson", True),
    ],
)
def test_titles_in_names(label: str, expected: bool) -> None:
    assert has_title(label) is expected


@pytest.mark.parametrize(
    ("label", "aliases", "has_two_surnames", "expected"),
    [
        ("Rafael Correa Delgado", ["Rafael Correa"], True, True),
        ("Suzy Amis Cameron", ["Suzy Amis"], False, False),  # a husband's name
        ("Carl Emil Gauss", ["Carl Emil", "Gauss"], True, False),  # the alias is cut off
        ("Edward Joseph Kelly", ["Edward J. Kelly"], False, True),
        ("Edward Joseph Kelly", ["Edward K. Kelly"], False, False),
        ("Edward J. Kelly", ["Edward Joseph Kelly"], False, False),
        ("Edward Joseph Kelly", ["E. Joseph Kelly"], False, True),
        ("Edward Joseph Kelly", ["E. J. Kelly"], False, False),
        ("Edward von Kelly", ["E. von Kelly"], False, False),  # the surname has two words
        ("Hermann Emil Fischer", ["Emil Fischer"], False, True),
        ("Wild Bill Elliott", ["Bill Elliott"], False, False),  # "wild" is no first name
        ("Alexander Graham Bell", ["Graham Bell"], False, False),  # everybody says so
        ("Moritz Hermann Eduard Meier", [], False, True),
        ("Abram Samoilovitch Besicovitch", [], False, True),
        ("Slobodan Ivanovich", [], False, False),
        ("Edward Joseph Kelly Jr.", ["Edward J. Kelly Jr."], False, False),
        ("Julia Nickson-Soul", ["Julia Nickson"], False, True),
        ("Olivia Newton-John", ["Olivia Newton"], False, False),  # everybody says so
    ],
)
def test_formal_names(
    label: str, aliases: list[str], has_two_surnames: bool, expected: bool
) -> None:
    formal = is_formal(label, aliases, lambda name: FIRST_NAMES[name], has_two_surnames)
    assert formal is expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("Harvey Doolittle Colvin", True),
        ("Harvey D. Colvin", False),
        ("Jamie Lee Curtis", False),  # a double first name
        ("Lee Harvey Oswald", False),  # everybody says so
        ("Tim Van Patten", False),  # the surname has two words
        ("Harvey Colvin Jr.", False),
    ],
)
def test_middle_names(label: str, expected: bool) -> None:
    assert has_middle_name(label) is expected
