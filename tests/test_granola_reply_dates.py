"""Dates of replies in Roman numerals and in other languages."""

import pytest

from kgbuild.datasets.granola.reply_dates import in_english


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("MCMXXXIX, as the credits have it", "1939, as the credits have it"),
        ("10-XI-1909", "10 November 1909"),
        ("3.IX.1909", "3 September 1909"),
        ("le 3 août 1909", "le 3 August 1909"),
        ("am 10. Oktober 1909", "am 10 October 1909"),
        ("10 de octubre de 1909", "10 October 1909"),
        ("in den 1960er Jahren", "in den 1960s"),
        ("dans les années 60", "dans les 60s"),
        ("in May 1900", "in May 1900"),
        ("27 Aug 47", "27 Aug '47"),
        ("Aug 47 iirc", "Aug '47 iirc"),
        ("Aug 47 (I think)", "Aug '47 (I think)"),
        ("27 Aug 09, I believe", "27 Aug '09, I believe"),
        ("27 Aug 09 probably", "27 Aug '09 probably"),
        ("Aug 17 iirc", "Aug 17 iirc"),  # 17 may be the day
        ("Aug 47 people", "Aug 47 people"),
        ("July 17, '52", "July 17, '52"),  # 17 is no year
        ("1961 (Oct. 19)", "1961 (Oct. 19 1961)"),
        ("62", "'62"),
        ("62 people", "62 people"),
        ("08/1947", "August 1947"),
        ("1947/48", "between 1947 and 1948"),
        ("11/08/1947", "11/08/1947"),
        ("den 19. feb 1963", "den 19 February 1963"),
        (
            "in the autumn of 1960. September, I believe.",
            "in the autumn of 1960. September 1960, I believe.",
        ),
        ("on 4 July, in 1826", "on 4 July 1826"),
        ("1952 July 17", "July 17, 1952"),
        ("July 1952, the 17th", "July 17th, 1952"),
        ("17thJuly 1952", "17th July 1952"),
        ("1952年7月17日", "17.7.1952"),
        ("17 июля 1952", "17 July 1952"),
        ("Febuary 1952", "February 1952"),
        ("Mary 1952", "Mary 1952"),  # too short for a month with an error
        ("XX century", "20th century"),
        ("MIX, MILD and CIVIL", "MIX, MILD and CIVIL"),  # no year, no numeral
    ],
)
def test_in_english(reply: str, text: str) -> None:
    assert in_english(reply) == text
