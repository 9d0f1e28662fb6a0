"""Read verdicts from replies of models: whether a question contains a false assumption.

A verdict can be in a frame (``<answer>``, a box, a field of JSON) or after a label ("Answer:",
"Verdict:"). Otherwise the sentences of the reply are read: a sentence that begins with yes or no,
that gives the answer ("therefore, the answer is yes"), or that states whether an assumption is
false.
"""

import re
from collections.abc import Iterator

from kgbuild.models.thoughts import separate
from kgbuild.text.replies import answer_of

YES, NO, REFUSED, UNDECIDED = "yes", "no", "refused", "undecided"
VERDICTS = (YES, NO, REFUSED, UNDECIDED)
"""The classes of replies: yes, the question contains a false assumption; no; refused; undecided."""

_FALSE = r"(?:false|incorrect|wrong|untrue|mistaken|invalid|inaccurate|erroneous|faulty)"
_TRUE = r"(?:true|correct|right|valid|accurate|sound|fine)"
_ASSUMPTION = r"(?:assumptions?|premises?|presuppositions?|suppositions?)"
_ASSUMES = r"(?:assumes?|presupposes?|presumes?|supposes?|takes? for granted|implies|imply)"
# "yes" or "no" as an answer; "No one", "No such film" and "No idea" are not answers.
_YES_OR_NO = r"""
    (?! \w+ ,? \s (?: if | unless | provided | assuming ) \b )
    (?: (?P<yes> (?: yes (?! [,!.]?\ i\ (?:can|will|would)\ (?:help|assist|answer) )
                    (?! \ would\ be ) | yep | yeah | affirmative ) (?! -?\w ) )
      | (?P<no> (?: nope | nah | negative (?! \s ) | (?:absolutely|certainly|definitely)\ not
                  | not\ at\ all ) (?! -?\w )
              | no (?! -?\w )
                (?! \s+ (?! (?:it|this|that|the|there|because|false) \b ) \w ) ) )
"""
# Words before the answer: "So, therefore, the answer is"
_LEAD_IN = r"""
    (?: and | or | but | so | therefore | thus | hence | consequently | then | actually | ok(?:ay)?
      | well | hmm+ | oh | indeed | unfortunately | (?:absolutely|certainly|definitely)(?!\ not)
      | (?:most\ )?likely | probably | overall | ultimately | finally
      | in\ (?:short|conclusion|summary|fact)
      | the\ (?:final\ |correct\ )?answer\ is )
"""
# The beginning of a sentence that is an answer
_BEGINS = re.compile(rf"\W*+ (?: {_LEAD_IN} \b \W*+ )*+ {_YES_OR_NO}", re.IGNORECASE | re.VERBOSE)
# A clause that gives the answer: "the verdict is therefore: yes", "I would say no"
_NAMES = re.compile(
    rf"""
    (?: \b (?: answer | verdict | conclusion | response | judge?ment )
        (?: \ (?:to\ (?:the|this|your)\ question|here) )? \s+
        (?: is | would\ be | should\ be | must\ be | has\ to\ be )
        (?: \s (?: therefore | thus | then | also | hence | \w+ly ) )?
      | \b i (?: \s would | 'd | \s will | 'll ) \s (?: have\ to\ )?
        (?: say | answer | go\ with | conclude )
      | \b i\ (?: think | believe )
      | \b (?: it's | that's | (?:it|that|this)\ is ) \ an?
        (?: \s (?: clear | definite | simple ) )? )
    [^\w\n]{{1,6}} {_YES_OR_NO}
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A label at the beginning of a line, and its value: "2. **Final answer:** yes"
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
# A field of JSON with a truth value: "false_assumption": true
_FIELD = re.compile(
    r"""
    ["'] (?P<name> [\w ]{2,40} ) ["'] \s*+ : \s*+ ["']?+
    (?: (?P<yes> yes | true ) | (?P<no> no | false ) ) \s*+ (?= ["'},\n] | \Z )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Names of fields for a verdict, and for a false assumption
_OF_A_VERDICT = re.compile(
    r"answer|verdict|label|result|response|output|conclusion|judge?ment", re.I
)
_OF_AN_ASSUMPTION = re.compile(r"false.?(?:assumption|premise|presupposition)", re.IGNORECASE)
# The end of a sentence that is an answer: ", so yes."
_ENDS = re.compile(
    r"""
    [,:–—] \s+ (?: (?:so|thus|therefore|hence|then),? \s )?
    ["'*(]*+ (?: (?P<yes> yes ) | (?P<no> no ) ) ["'*).!]*+ \s*+ \Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A whole text that is true or false, as programs write yes or no
_TRUTH = re.compile(r"\W*(?:(?P<yes>true)|(?P<no>false))\W*", re.IGNORECASE)

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|without|nor|neither|cannot)\b|n't\b|\bfree (?:of|from)\b"
)
# "a false assumption", "wrongly assumes"
_FALSE_ASSUMPTION = re.compile(
    rf"\b{_FALSE} {_ASSUMPTION}\b"
    rf"|\b(?:false|wrong|incorrect|mistaken|erroneous)(?:ly)? {_ASSUMES}\b"
    rf"|\b{_ASSUMES} (?:something|things?|what) (?:that )?(?:is )?{_FALSE}\b"
)
# "a correct assumption"
_TRUE_ASSUMPTION = re.compile(rf"\b{_TRUE} {_ASSUMPTION}\b")
# "the assumption is not correct", "the premise holds", "it assumes that …, which is false"
_JUDGEMENT = re.compile(
    rf"\b{_ASSUMPTION}\b.{{0,80}}?\b(?:is|are|was|were|seems?|appears?)"
    rf"(?P<not> not|n't)?(?: \w+ly| indeed| also| all| both)? (?:(?P<false>{_FALSE})|{_TRUE})\b"
    rf"|\b{_ASSUMPTION} holds?\b"
    rf"|\bwhat\b.{{0,60}}?\b{_ASSUMES}\b.{{0,20}}?\bis(?P<not3> not|n't)?"
    rf" (?:(?P<false3>{_FALSE})|{_TRUE})\b"
    rf"|\b{_ASSUMES}\b.{{0,200}}?\b(?:which|this|that|and)\b (?:is|was)"
    rf"(?P<not2> not|n't)?(?: \w+ly)? (?:(?P<false2>{_FALSE})|{_TRUE})\b"
)
# What a false assumption is, in general
_DEFINITION = re.compile(
    rf"\b{_FALSE} {_ASSUMPTION} (?:is (?:something|anything|when|an?|one)|means|refers)\b"
)
# Words of uncertainty: "may", "whether", "hard to say"
_HEDGE = re.compile(
    r"\b(?:may|might|could|maybe|perhaps|possibly|possible|probably|likely|whether|if|unclear"
    r"|unsure|uncertain|unknown|depends|(?:not|n't) (?:sure|certain|clear|know)"
    r"|(?:cannot|can't|can not|hard to|difficult to|impossible to|unable to)"
    r" (?:be )?(?:say|tell|determine|decide|judge|know|verif|confirm)\w*)\b"
)
# "I cannot help", "I am not able to answer", "I must decline"
_REFUSAL = re.compile(
    r"""
    \b (?: can(?:not|'t|\ not) | (?:am|'m|are) \s (?:unable|not\ (?:able|allowed|permitted)) \s to
         | won't | will\ not | (?:must|have\ to) (?= \s decline ) )
    \s (?: \w+ \s ){0,3}?
    (?: assist | help | answer | comply | provide | discuss | give | fulfil | engage | respond
      | share | offer | comment | support | decline | make\ judge?ments | do\ that | do\ this )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The gap between two sentences
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”*)]*\s+|\n+")
_REACH = 200
"""Number of characters before a verdict in which a hedge or a negation counts."""
_NUMBER = re.compile(r"\bNo\.?\s*(?=\d)")
"""The abbreviation of number, as in "No. 5"."""


def verdict(text: str) -> str:
    """Return the verdict of a reply, one of ``VERDICTS``.

    Reasoning, Markdown, and a further question that the model asks itself do not count. The last
    frame or label decides; without one, the last sentence with a verdict. A sentence that hedges
    ("may contain", "whether") has none.

    Known weaknesses: English only. "Not yes but no" and "False assumption: none" are not read. "It
    does" alone is undecided, since prompts ask different questions.
    """
    spoken = separate(text).spoken.replace("’", "'")
    if field := _field(spoken):
        return field
    answer = _NUMBER.sub("number ", answer_of(spoken).replace("_", " "))
    if "{" not in spoken and (truth := _TRUTH.fullmatch(answer)):  # of a field, see ``_field``
        return _group(truth)
    labelled = [*_LABEL.finditer(answer)]
    if labelled:
        value = labelled[-1]["value"].strip() or answer[labelled[-1].end() :]
        return _by_sentences(value) or _without_verdict(value)
    return _by_sentences(answer) or _without_verdict(answer)


def parse(text: str) -> bool | None:
    """Return True for a reply with the verdict yes, False for no, None for all others."""
    return {YES: True, NO: False}.get(verdict(text))


def _field(text: str) -> str:
    """Return the verdict of the last field of JSON with a verdict; "" if there is none."""
    verdicts = []
    for match in _FIELD.finditer(text):
        value = (match["yes"] or match["no"]).lower()
        # "answer": true may mean that the assumption is true, so only yes and no count there.
        is_verdict = _OF_A_VERDICT.search(match["name"]) and value in (YES, NO)
        if is_verdict or _OF_AN_ASSUMPTION.search(match["name"]):
            verdicts.append(_group(match))
    return verdicts[-1] if verdicts else ""


def _by_sentences(text: str) -> str:
    """Return the last verdict of the sentences of a text; "" if they have none."""
    verdicts = [
        verdict for sentence in _SENTENCE.split(text) for verdict in _read_sentence(sentence)
    ]
    return verdicts[-1] if verdicts else ""


def _read_sentence(sentence: str) -> Iterator[str]:
    """Yield the verdicts of a sentence, in their order; "Yes and no" is undecided."""
    verdicts = dict.fromkeys(_beginning(sentence))
    yield from verdicts if len(verdicts) < 2 else [UNDECIDED]
    for match in (*_NAMES.finditer(sentence), *_ENDS.finditer(sentence)):
        if not _HEDGE.search(_before(sentence, match).lower()):
            yield _group(match)
    yield from _judgements(sentence.lower().strip())


def _beginning(sentence: str) -> Iterator[str]:
    """Yield the verdicts that a sentence begins with: yes, no, or both for "Yes and no"."""
    position = 0
    while match := _BEGINS.match(sentence, position):
        yield _group(match)
        position = match.end()


def _before(sentence: str, match: re.Match[str]) -> str:
    """Return the text before a match, as far as hedges and negations in it count."""
    return sentence[max(0, match.start() - _REACH) : match.start()]


def _group(match: re.Match[str]) -> str:
    """Return the verdict that a match contains."""
    return YES if match["yes"] else NO


def _judgements(sentence: str) -> Iterator[str]:
    """Yield yes for each statement that an assumption is false, no for a true assumption."""
    if sentence.endswith("?") or _HEDGE.search(sentence) or _DEFINITION.search(sentence):
        return
    for pattern, affirmed, negated in ((_FALSE_ASSUMPTION, YES, NO), (_TRUE_ASSUMPTION, NO, YES)):
        for match in pattern.finditer(sentence):
            yield negated if _NEGATION.search(_before(sentence, match)) else affirmed
    for match in _JUDGEMENT.finditer(sentence):
        is_false = sum(map(bool, match.groups())) == 1  # "not true" or "false"
        if re.search(r"\bnone of\b", _before(sentence, match)):
            is_false = not is_false
        yield YES if is_false else NO


def _without_verdict(text: str) -> str:
    return REFUSED if _REFUSAL.search(text) else UNDECIDED
