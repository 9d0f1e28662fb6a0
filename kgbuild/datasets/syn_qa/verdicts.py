"""Read verdicts as people do: does a question contain a false assumption, by a model's reply?

A verdict is what a reply gives in a frame (``<answer>``, a box, a field of JSON) or behind a label
("Answer:", "Verdict:"); else what its sentences say: a sentence that begins with yes or no, that
names the answer ("therefore, the answer is yes"), or that states whether an assumption is false.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgbuild.evaluate.answers import final
from kgbuild.models.thoughts import separate

YES, NO, REFUSED, UNDECIDED = "yes", "no", "refused", "undecided"
VERDICTS = (YES, NO, REFUSED, UNDECIDED)
"""The classes of replies: yes, the question contains a false assumption; no; refused; undecided."""

_FALSE = r"(?:false|incorrect|wrong|untrue|mistaken|invalid|inaccurate|erroneous|faulty)"
_TRUE = r"(?:true|correct|right|valid|accurate|sound|fine)"
_ASSUMPTION = r"(?:assumptions?|premises?|presuppositions?|suppositions?)"
_ASSUMES = r"(?:assumes?|presupposes?|presumes?|supposes?|takes? for granted|implies|imply)"
# "No" may also begin "No one", "No such film", "No idea", which are no answers.
_WORD = r"""
    (?! \w+ ,? \s (?: if | unless | provided | assuming ) \b )
    (?: (?P<yes> yes (?! -?\w ) )
      | (?P<no> no (?! -?\w ) (?! \s+ (?! (?:it|this|that|the|there|because|false) \b ) \w ) ) )
"""
_LEAD_IN = r"""
    (?: and | or | but | so | therefore | thus | hence | consequently | then | actually | ok(?:ay)?
      | well | indeed | overall | ultimately | finally | in\ (?:short|conclusion|summary|fact)
      | the\ (?:final\ |correct\ )?answer\ is )
"""
_BEGINS = re.compile(rf"\W*+ (?: {_LEAD_IN} \b \W*+ )*+ {_WORD}", re.IGNORECASE | re.VERBOSE)
_NAMES = re.compile(
    rf"""
    (?: \b (?: answer | verdict | conclusion | response | judge?ment )
        (?: \ (?:to\ (?:the|this|your)\ question|here) )? \s+
        (?: is | would\ be | should\ be | must\ be | has\ to\ be )
        (?: \s (?: therefore | thus | then | also | hence | \w+ly ) )?
      | \b (?: answer | verdict | conclusion ) \s* (?= : )
      | \b i (?: \s would | 'd | \s will | 'll ) \s (?: have\ to\ )?
        (?: say | answer | go\ with | conclude )
      | \b i\ (?: think | believe )
      | \b (?: it's | that's | (?:it|that|this)\ is ) \ an?
        (?: \s (?: clear | definite | simple ) )? )
    [^\w\n]{{1,6}} {_WORD}
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LABEL = re.compile(
    r"""
    ^ [^\w\n]*+ (?: \d+ [.)] \s*+ )?
    (?: (?:my|the|your|final|correct|short|overall)\s )*+
    (?: answer | verdict | conclusion | label | result | output | response | judge?ment | decision
      | prediction | classification | final_answer | (?:contains?[ _](?:an?[ _]|any[ _])?)?
        (?:has[ _])? false[ _](?:assumption|premise|presupposition)s? (?:[ _]present)? )
    [*_"'`]*+ [^\S\n]*+ (?: [:=–—] | -(?=\s) ) (?P<value> [^\n]*+ )
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_FIELD = re.compile(
    r"""
    ["'] (?P<name> [\w ]{2,40} ) ["'] \s*+ : \s*+ ["']?+
    (?: (?P<yes> yes | true ) | (?P<no> no | false ) ) \s*+ (?= ["'},\n] | \Z )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_A_VERDICT = re.compile(
    r"answer|verdict|label|result|response|output|conclusion|judge?ment", re.I
)
_OF_AN_ASSUMPTION = re.compile(r"false.?(?:assumption|premise|presupposition)", re.IGNORECASE)
_ENDS = re.compile(
    r"""
    [,:–—] \s+ (?: (?:so|thus|therefore|hence|then),? \s )?
    ["'*(]*+ (?: (?P<yes> yes ) | (?P<no> no ) ) ["'*).!]*+ \s*+ \Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LONE = re.compile(r"\W*(?:yes|no)\W*", re.IGNORECASE)

_CLAUSE = re.compile(r"[,;:()]|\b(?:because|since|so|and|but|which|as)\b")
_NOT = re.compile(
    r"\b(?:not|no|never|none|without|nor|neither|cannot)\b|n't\b|\bfree (?:of|from)\b"
)
_NAMED = re.compile(
    rf"\b{_FALSE} {_ASSUMPTION}\b"
    rf"|\b(?:false|wrong|incorrect|mistaken|erroneous)(?:ly)? {_ASSUMES}\b"
)
_JUDGED = re.compile(
    rf"\b{_ASSUMPTION}\b.{{0,80}}?\b(?:is|are|was|were|seems?|appears?)"
    rf"(?P<not> not|n't)?(?: \w+ly| indeed| also| all| both)? (?:(?P<false>{_FALSE})|{_TRUE})\b"
    rf"|\b{_ASSUMPTION} holds?\b"
    rf"|\b{_ASSUMES}\b.{{0,200}}?\b(?:which|this|that|and)\b (?:is|was)"
    rf"(?P<not2> not|n't)?(?: \w+ly)? (?:(?P<false2>{_FALSE})|{_TRUE})\b"
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|maybe|perhaps|possibly|probably|likely|whether|if|unclear|unsure"
    r"|uncertain|unknown|depends|(?:not|n't) (?:sure|certain|clear|know)|(?:cannot|can't|can not"
    r"|hard to|difficult to|impossible to|unable to)"
    r" (?:be )?(?:say|tell|determine|decide|judge|know|verif|confirm)\w*)\b"
)
_CORRECTION = re.compile(
    r"\b(?:wait|actually|hmm+|correction|on reflection|on second thought|rather|i was wrong"
    r"|let me (?:re|correct|check))",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"""
    \b (?: can(?:not|'t|\ not) | (?:am|'m|are) \s (?:unable|not\ (?:able|allowed|permitted)) \s to
         | won't | will\ not | (?:must|have\ to) (?= \s decline ) )
    \s (?: \w+ \s ){0,2}?
    (?: assist | help | answer | comply | provide | discuss | give | fulfil | engage | respond
      | share | offer | comment | support | decline | do\ that | do\ this )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”*)]*\s+|\n+")
_REACH = 200
"""Number of characters before a verdict in which a hedge or a negation counts."""
_NUMBER = re.compile(r"\bNo\.?\s*(?=\d)")
"""The abbreviation of number, as in "No. 5"."""


class _Said(NamedTuple):
    """A verdict of a sentence; ``names_answer`` if it names the answer."""

    verdict: str
    names_answer: bool
    place: int


def verdict(text: str) -> str:
    """Return the verdict of a reply, one of ``VERDICTS``.

    Thoughts, Markdown, and a next question of the model's own do not count. A frame or a label
    decides, the last one of several. Among sentences, the last one that names the answer decides;
    else all must agree, unless the last line is the verdict alone or the reply corrects itself. A
    sentence that hedges ("may contain", "whether") decides nothing.

    Known weaknesses: English only. A negation in another clause than the assumption is not seen:
    "It is not so that the question contains a false assumption" counts as yes.
    """
    spoken = separate(text).spoken.replace("’", "'")
    field = _field(spoken)
    if field:
        return field
    answer = _NUMBER.sub("number ", final(spoken).replace("_", " "))
    labelled = [*_LABEL.finditer(answer)]
    if labelled:
        value = labelled[-1]["value"].strip() or answer[labelled[-1].end() :]
        return _by_sentences(value) or _without_verdict(value)
    return _by_sentences(answer) or _without_verdict(answer)


def parse(text: str) -> bool | None:
    """Return whether a reply says yes (True) or no (False); None if neither."""
    return {YES: True, NO: False}.get(verdict(text))


def _field(text: str) -> str:
    """Return the verdict of the last field of JSON that gives one; "" without any."""
    verdicts = [
        str(match.lastgroup)
        for match in _FIELD.finditer(text)
        if (match["yes"] or match["no"])
        and (
            _OF_AN_ASSUMPTION.search(match["name"])
            or (
                _OF_A_VERDICT.search(match["name"])
                and (match["yes"] or match["no"]).lower() in (YES, NO)
            )
        )
    ]
    return verdicts[-1] if verdicts else ""


def _by_sentences(text: str) -> str:
    """Return the verdict on which the sentences of a text agree; "" without one."""
    said = [*_said(text)]
    verdicts = {one.verdict for one in said}
    if UNDECIDED in verdicts:
        return UNDECIDED
    if len(verdicts) <= 1:
        return verdicts.pop() if verdicts else ""
    last = said[-1]
    others = [one for one in said if one.verdict != last.verdict]
    between = text[others[-1].place : last.place]
    lines = text.split("\n")
    is_alone = bool(_LONE.fullmatch(lines[-1])) and not any(map(_LONE.fullmatch, lines[:-1]))
    if last.names_answer or is_alone or _CORRECTION.search(between):
        return last.verdict
    return UNDECIDED


def _said(text: str) -> Iterator[_Said]:
    """Yield what the sentences of a text say, in their order."""
    place = 0
    for end in (*(match.end() for match in _SENTENCE.finditer(text)), len(text)):
        sentence, start, place = text[place:end], place, end
        verdicts = dict.fromkeys(_beginning(sentence))
        if len(verdicts) > 1:
            yield _Said(UNDECIDED, True, start)
            return
        yield from (_Said(one, False, start) for one in verdicts)
        ending = _ENDS.search(sentence)
        for match in (*_NAMES.finditer(sentence), *filter(None, [ending])):
            if not _HEDGE.search(_before(sentence, match).lower()):
                yield _Said(_group(match), match is not ending, start + match.start())
        yield from (_Said(one, False, start) for one in _stated(sentence.lower().strip()))


def _beginning(sentence: str) -> Iterator[str]:
    """Yield the verdicts that a sentence begins with: yes, no, or both for "Yes and no"."""
    place = 0
    while match := _BEGINS.match(sentence, place):
        yield _group(match)
        place = match.end()


def _before(sentence: str, match: re.Match[str]) -> str:
    """Return what stands before a match, as far back as it may matter."""
    return sentence[max(0, match.start() - _REACH) : match.start()]


def _group(match: re.Match[str]) -> str:
    return YES if match["yes"] else NO


def _stated(sentence: str) -> Iterator[str]:
    """Yield whether a sentence states that an assumption is false, or true."""
    if sentence.endswith("?") or _HEDGE.search(sentence):
        return
    for match in _NAMED.finditer(sentence):
        clause = _CLAUSE.split(_before(sentence, match))[-1]
        yield NO if _NOT.search(clause) else YES
    for match in _JUDGED.finditer(sentence):
        is_false = bool(match["false"] or match["false2"]) != bool(match["not"] or match["not2"])
        clause = _CLAUSE.split(_before(sentence, match))[-1]
        if re.search(r"\bnone of\b", clause):
            is_false = not is_false
        yield YES if is_false else NO


def _without_verdict(text: str) -> str:
    return REFUSED if _REFUSAL.search(text) else UNDECIDED
