"""Write the names of capitals into a reply: "in Havana" for "in the Cuban capital"."""

import functools
import re

from kgbuild.datasets.base import read_toml


def with_capitals(reply: str, question: str) -> str:
    """Return a reply that names the capitals of states of which it speaks, where no name follows.

    A capital that the question names is the subject: "Seoul is the capital of South Korea".

    >>> with_capitals("in the capital of Cuba", "Where was Ann Lee born?")
    'in Havana'
    """
    if "capital" not in reply:
        return reply
    pattern, capitals = _capitals()

    def name(match: re.Match[str]) -> str:
        capital = capitals[match[match.lastgroup or 0]]
        return match[0] if capital in question else capital

    return pattern.sub(name, reply)


@functools.cache
def _capitals() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern of phrases for capitals, and the capitals by states and nationalities."""
    data = read_toml("granola", "capital_names")
    peoples, names = read_toml("granola", "demonyms"), read_toml("granola", "state_names")
    capitals = {
        form: capital
        for qid, capital in data["states"].items()
        for form in (*names.get(qid, ()), *([peoples[qid]] if qid in peoples else ()))
    }
    capitals |= data["parts"]
    forms = "|".join(map(re.escape, sorted(capitals, key=len, reverse=True)))
    pattern = (
        rf"(?:\bthe )?(?:\b(?P<before>{forms})(?:['’]s)? capital(?: city)?"
        rf"|\bcapital(?: city)? of (?:the )?(?P<after>{forms}))\b(?!,? (?:of )?[A-Z])"
    )
    return re.compile(pattern), capitals
