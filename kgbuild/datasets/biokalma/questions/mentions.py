"""Choose the names of people in texts: short names, and one name for two people."""

import re


def joint_name(first: str, second: str) -> str:
    """Return the name of two people whose names have the same end; empty if they have none.

    >>> joint_name("Robin Gibb", "Maurice Gibb"), joint_name("Ann Lee", "Tom Hill")
    ('Robin and Maurice Gibb', '')
    >>> joint_name("Christian I of Denmark", "Frederick I of Denmark")
    'Christian I and Frederick I of Denmark'
    >>> joint_name("George I of Great Britain", "George II of Great Britain")
    'George I and George II of Great Britain'
    """
    words, other_words = first.split(), second.split()
    count = 0
    for word, other_word in zip(reversed(words[1:]), reversed(other_words[1:]), strict=False):
        if word != other_word:
            break
        count += 1
    while count and _NUMERAL.fullmatch(words[-count]):  # a number belongs to the first name
        count -= 1
    end = words[len(words) - count :]
    is_surname = bool(end) and (end[0] == "of" or _SURNAME.fullmatch(end[-1]) is not None)
    heads = [" ".join(name[: len(name) - count]) for name in (words, other_words)]
    is_unclear = any(re.search(r'[.,"]', head) for head in heads)
    is_unclear = is_unclear or (
        words[0] == other_words[0] and not all(map(_NUMBERED.search, heads))
    )
    is_unclear = is_unclear or words[0] in _FAMILY_WORDS or other_words[0] in _FAMILY_WORDS
    # "Thomas Alva and Charles Edison" would give the first one another surname.
    # Nor would "Peter and Patricia Kennedy Lawford" tell the two surnames of the second one.
    is_unclear = is_unclear or (end[:1] != ["of"] and any(" " in head for head in heads))
    if not is_surname or is_unclear or end[-1] in _NOT_SURNAMES:
        return ""
    return f"{heads[0]} and {heads[1]} {' '.join(end)}"


def short_name(name: str, other_name: str) -> str:
    """Return a short form of a person's name, for later mentions in a text about two people.

    The short form is the surname, or the first name if ``other_name`` has the same surname. A name
    with an addition, such as "of Spain", loses the addition. The whole name is returned if its last
    word may not be a surname, or if the short form has a word of ``other_name``.

    >>> short_name("Jean-Jacques Rousseau", "Jacques Derrida"), short_name("Plato", "Socrates")
    ('Rousseau', 'Plato')
    >>> short_name("Kylie Jenner", "Brody Jenner"), short_name("Philip II of Spain", "Mary Tudor")
    ('Kylie', 'Philip II')
    """
    other_words = {*other_name.split()}
    without_addition = _ADDITION.split(name)[0]
    words = without_addition.split()
    short = words
    if without_addition == name and len(words) > 1:
        first, last = words[0], words[-1]
        names = [
            word
            for word in words
            if word.casefold() not in _PARTICLES and not _INITIAL.fullmatch(word)
        ]
        if all(map(_SURNAME.fullmatch, names)) and last not in _NOT_SURNAMES:
            # First names distinguish members of one family.
            surname = words[-2:] if _is_in_surname(words[-2], last) else [last]
            short = [first] if last in other_words else surname
    is_numbered = _NUMBERED.search(" ".join(short)) and short[-1] not in other_words
    return name if other_words & {*short} and not is_numbered else " ".join(short)


def _is_in_surname(word: str, last: str) -> bool:
    """Return whether the word before the last word of a name belongs to the surname.

    >>> _is_in_surname("De", "Niro"), _is_in_surname("von", "Goethe"), _is_in_surname("Jane", "Fox")
    (True, False, False)
    """
    is_particle = word in _CAPITAL_PARTICLES or word in _KEPT_PARTICLES
    return (is_particle and last not in _WITHOUT_PARTICLE) or (word, last) in _DOUBLE_SURNAMES


_ADDITION = re.compile(r",| of | bin | bint ")
"""The beginning of an addition to a name: ", Jr.", " of Spain"."""
_PARTICLES = ("da", "de", "del", "della", "der", "di", "dos", "du", "la", "le", "van", "von", "zu")
_CAPITAL_PARTICLES = ("Da", "De", "Del", "Della", "Di", "Dos", "Du", "La", "Le", "Van", "Von")
"""Particles that belong to a surname: De Niro."""
_KEPT_PARTICLES = ("da", "del", "della", "di", "dos", "du", "la", "le", "van")
"""Particles that a surname keeps: van Gogh, but Goethe."""
_WITHOUT_PARTICLE = ("Beethoven",)
_DOUBLE_SURNAMES = (
    ("Baron", "Cohen"),
    ("Bonham", "Carter"),
    ("Conan", "Doyle"),
    ("García", "Lorca"),
    ("García", "Márquez"),
    ("Lloyd", "Webber"),
    ("Vargas", "Llosa"),
    ("Vaughan", "Williams"),
    ("de", "Gaulle"),
)
"""Surnames of two words without a hyphen."""
_FAMILY_WORDS = ("Ibn", "bin", "ibn", "Al")
"""Words of Arabic names that are no first names."""
_NUMBERED = re.compile(r" [IVX]+$")
"""The end of the name of a ruler: Louis XIV."""
_NUMERAL = re.compile(r"[IVX]+")
_INITIAL = re.compile(r"[A-Z]\.")
_SURNAME = re.compile(
    r"(?:Mc|Mac|O['’]|De|Di|Du|La|Le|Van)?[^\W\d_][a-z\u00df-\u024f]+(-[A-Z]\w+)?"
)
"""A letter and Latin small letters, perhaps a second part: "Müller", "Joliot-Curie"."""
_NOT_SURNAMES = ("Jr", "Sr", "Junior", "Senior", "Great", "Elder", "Younger")
