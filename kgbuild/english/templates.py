"""Put labels into the templates of questions."""

from collections.abc import Mapping


def closed(phrase: str, template: str, place: str) -> str:
    """Return a phrase with the comma that closes an addition, if the sentence goes on.

    >>> closed("Washington, D.C.", "How long did {subject} live in {object} then?", "{object}")
    'Washington, D.C.,'
    """
    goes_on = template.partition(place)[2][:1] == " "
    return f"{phrase}," if goes_on and ", " in phrase and not phrase.endswith('"') else phrase


def fill(template: str, words: Mapping[str, str]) -> str:
    """Return a template with its placeholders replaced, whatever the labels hold.

    >>> fill("When did {subject} marry {object}?", {"{subject}": "{object}", "{object}": "B"})
    'When did {object} marry B?'
    """
    for place in sorted(words, key=template.index, reverse=True):  # what was put in lies behind
        before, _, after = template.partition(place)
        template = before + words[place] + after
    return template
