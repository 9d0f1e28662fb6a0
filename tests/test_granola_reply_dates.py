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
        ("MIX, MILD and CIVIL", "MIX, MILD and CIVIL"),  # no year, no numeral
    ],
)
def test_in_english(reply: str, text: str) -> None:
    assert in_english(reply) == text
