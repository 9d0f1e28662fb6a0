"""Choose the names of people in texts: short names, and one name for two people."""

import re


def joint_name(first: str, second: str) -> str:
    """Return the name of two people whose names have the same end; empty if they have none.

    The end is a surname after one given name, or the realm of rulers.

    >>> joint_name("Robin Gibb", "Maurice Gibb"), joint_name("Ann Lee", "Tom Hill")
    ('Robin and Maurice Gibb', '')
    >>> joint_name("Christian I of Denmark", "Frederick I of Denmark")
    'Christian I and Frederick I of Denmark'
    """
    (given, end), (other_given, other_end) = map(_divided, (first, second))
    is_shared = bool(end) and end == other_end and given != other_given
    return f"{given} and {other_given} {end}" if is_shared else ""


def short_name(name: str, other_name: str) -> str:
    """Return a short form of a person's name, for later mentions in a text about two people.

    The short form of a given name and a surname is the surname, or the given name if ``other_name``
    has the same surname. All other names stay whole, and those whose short form would have a word
    of ``other_name``.

    >>> short_name("Jean-Jacques Rousseau", "Jacques Derrida"), short_name("Plato", "Socrates")
    ('Rousseau', 'Plato')
    >>> short_name("Kylie Jenner", "Brody Jenner"), short_name("Philip II of Spain", "Mary Tudor")
    ('Kylie', 'Philip II of Spain')
    """
    given, surname = _divided(name)
    others = other_name.split()
    if not surname or surname.startswith("of ") or given in others:
        return name
    return given if surname in others else surname


def _divided(name: str) -> tuple[str, str]:
    """Return what a name begins with, and its surname or realm: empty texts if it is not plain."""
    head, of, realm = name.partition(" of ")
    if of and not re.search(r'[,"]', name):
        return head, f"of {realm}"
    words = name.split()
    is_plain = len(words) == 2 and all(map(_PLAIN.fullmatch, words))
    return (words[0], words[1]) if is_plain else ("", "")


_PLAIN = re.compile(r"(?:Mc|Mac|O['’]|De|Di|Du|La|Le|Van)?[^\W\d_][a-z\u00df-\u024f]+(-[A-Z]\w+)?")
"""A letter and Latin small letters, perhaps a second part: "Müller", "Joliot-Curie"."""
