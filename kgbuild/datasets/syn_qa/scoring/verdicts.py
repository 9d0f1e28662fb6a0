"""Read verdicts from replies of models: whether a question contains a false assumption.

A verdict can be in a frame (``<answer>``, a box, a field of JSON) or after a label ("Answer:",
"Verdict:"). Otherwise the sentences of the reply are read: a sentence that begins with yes or no,
that gives the answer ("therefore, the answer is yes"), or that states whether an assumption is
false.
"""

import re
from collections.abc import Iterator

from kgbuild.models.thoughts import separate
from kgbuild.text.replies import answer_of, refuses

YES, NO, REFUSED, UNDECIDED = "yes", "no", "refused", "undecided"
VERDICTS = (YES, NO, REFUSED, UNDECIDED)
"""The classes of replies: yes, the question contains a false assumption; no; refused, see
``refuses``; undecided."""

_FALSE = r"(?:false|incorrect|wrong|untrue|mistaken|invalid|inaccurate|erroneous|faulty|flawed)"
_TRUE = r"(?:true|correct|right|valid|accurate|sound|fine)"
_ASSUMPTION = r"(?:assumptions?|premises?|presuppositions?|suppositions?|claims?)"
_ASSUMES = r"(?:assumes?|presupposes?|presumes?|supposes?|takes? for granted|implies|imply)"
_OF_THE_QUESTION = rf"\b(?:questions?|{_ASSUMPTION}|{_ASSUMES})\b"
_DID = r"(?:is|are|was|were|do|does|did|has|have|had)"
_ADVERB = r"(?:\w+ly|indeed|also|all|both|therefore|thus|then|hence)"
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
        (?: \s {_ADVERB} )?
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
    rf"""
    ^ [^\w\n]*+ (?: \d+ [.)] \s*+ )?
    (?: (?:my|the|your|final|correct|short|overall)\s )*+
    (?P<label> answer | verdict | conclusion | label | result | output | response | judge?ment
      | decision | prediction | classification
      | (?: (?:contains?|has)\ (?:an?\ |any\ )? )? {_FALSE}\ {_ASSUMPTION} (?:\ present)? )
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
# Names of fields for a verdict
_OF_A_VERDICT = re.compile(r"answer|verdict|label|result|response|output|conclusion|judge?ment")
# The end of a sentence or a clause that is an answer: ", so yes."
_ENDS = re.compile(
    r"""
    [,:–—] \s+ (?: (?:so|thus|therefore|hence|then|but),? \s )?
    ["'*(]*+ (?: (?P<yes> yes ) | (?P<no> no ) ) ["'*).!]*+ \s*+ (?: \Z | [:–—] )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A whole text that is an answer as programs write it
_TRUTH = re.compile(r"\W*(?:(?P<yes>true|y)|(?P<no>false|n))\W*", re.IGNORECASE)

_HARDLY = r"(?:hardly|barely|scarcely)"
_ABSENT = r"\b(?:without|(?:free|devoid) (?:of|from)|lack(?:s|ing)?)\b"
_NEGATION = re.compile(
    rf"\b(?:not|no(?!,)|never|none|nothing|nor|neither|cannot|{_HARDLY})\b|n't\b|{_ABSENT}"
)
# What ends the reach of a negation: ", so", ", the question"
_NEW_CLAUSE = re.compile(
    r"[;:–—]|\b(?:so|therefore|thus|hence|since|because|but)\b"
    r"|(?:,| and)(?: as)? (?:the|this|that|it|there|which)\b"
)
_JUDGED = rf"(?:(?P<false>{_FALSE})|{_TRUE})"
_IS_JUDGED = (
    r" (?:is|are|was|were|to be|(?:seems?|appears?)(?: to be)?)"
    rf"(?P<not> not|n't| {_HARDLY})?(?: {_ADVERB})? {_JUDGED}\b"
)
_JUDGEMENTS = (
    # "a false assumption", "rightly assumes", "false assumptions: none"
    rf"\b{_JUDGED}(?:ly)? (?:{_ASSUMPTION}|{_ASSUMES})\b"
    r"(?:(?::| \|) (?P<not>none|no|not|0|false|n)(?: found| present)?\b(?! \w))?",
    # "nothing false", "it assumes what is untrue"
    rf"\b(?:{_ASSUMES} (?:things?|what)|(?:some|any|(?P<not>no))thing)"
    rf" (?:that )?(?:is )?(?P<false>{_FALSE})\b",
    # "the assumption is not correct", "the question seems valid"
    rf"\b(?:{_ASSUMPTION}\b.{{0,80}}?|(?<!to )(?:the|this|your) question){_IS_JUDGED}",
    # "the premise does not hold", "everything in the question checks out"
    rf"\b(?:{_ASSUMPTION}|question)(?: do(?:es)?)?(?P<not> not|n't| {_HARDLY})?(?: {_ADVERB})?"
    r" (?:holds?|checks? out|(?P<false>fails?(?! to)))\b",
    # "what it assumes is false", "it assumes that …, which is false", "so this is true"
    rf"\b(?:what\b.{{0,60}}?\b{_ASSUMES}\b.{{0,20}}?"
    rf"|{_ASSUMES}\b.{{0,200}}?\b(?:which|this|that|and)|(?<=so )(?:this|that|it)){_IS_JUDGED}",
)
# A label or a question that asks for a judgement, or for a fact: "Premise valid", "Correct?",
# "Is this true?", "Did she marry him?"
_ASKED = (
    r"^(?:(?:is|are|was|were)\b.{0,80}? (?P<not>not )?"
    rf"|(?:.*\b(?:{_ASSUMPTION}|questions?|statements?)\W+(?:is |are )?)?)"
    rf"(?:{_JUDGED}|factual|supported|confirmed|verified|justified|holds?)"
    r"(?: question| (?:that|by)\b.*)?$"
    rf"|^{_DID} (?!(?:there|it|this|that)\b|.*{_OF_THE_QUESTION})"
)
# Words of uncertainty: "may", "whether", "hard to say"; what a false assumption is, in general
_HEDGE = re.compile(
    r"\b(?:may|might|could|maybe|perhaps|possibly|possible|probably|likely|whether|if|unclear"
    r"|unsure|uncertain|unknown|depends|(?:not|\w+n't) (?:sure|certain|clear|know|want)"
    r"|(?:cannot|can't|can not|hard to|difficult to|impossible to|unable to)"
    r" (?:be )?(?:say|tell|determine|decide|judge|know|verif|confirm)\w*"
    rf"|{_FALSE} {_ASSUMPTION} (?:is (?:something|anything|when|an?|one)|means|refers))\b"
)
# A sentence that denies the fact, perhaps after "no". "It doesn't" is about the question.
_DENIAL = re.compile(
    rf"""
    \W*+ (?: {_LEAD_IN} \b \W*+ )*+ (?: no\b \W*+ )?+
    (?! (?: i | we | you | it )\b | [^,;:–—(]* {_OF_THE_QUESTION} | .*\? )
    [^,;:–—(]+? \b (?: never | {_DID} (?: n't | \ not ) )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The gap between two sentences
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”*)]*\s+|\n+")
_NUMBER = re.compile(r"\bNo\.?\s*(?=\d)")
"""The abbreviation of number, as in "No. 5"."""
_REACH = 200
"""Number of characters before a verdict in which a hedge or a negation counts."""


def verdict(text: str) -> str:
    """Return the verdict of a reply, one of ``VERDICTS``.

    Reasoning, Markdown, and a further question that the model asks itself do not count. The last
    frame or label decides; without one, the last sentence with a verdict. A sentence that hedges
    ("may contain", "whether") has none. One that denies the fact ("They never married") says yes
    if no other has a verdict.

    Known weaknesses: English only. "Not yes but no" is not read. "It does" and "It is true"
    alone are undecided, since prompts ask different questions.
    """
    spoken = separate(text).spoken.replace("’", "'")
    if field := _field(spoken):
        return field
    answer = _NUMBER.sub("number ", answer_of(spoken).replace("_", " "))
    if "{" not in spoken and (truth := _TRUTH.fullmatch(answer)):  # of a field, see ``_field``
        return _group(truth)
    labelled = [*_LABEL.finditer(answer)]
    line = ""
    if labelled:
        answer = labelled[-1]["value"].strip() or answer[labelled[-1].end() :].strip()
        line = f"{labelled[-1]['label']}: {answer}"  # "False assumption: none"
    if said := _by_sentences(answer) or _by_sentences(line):
        return said
    denied = any(map(_denies, _SENTENCE.split(answer)))
    return REFUSED if refuses(answer) else YES if denied else UNDECIDED


def parse(text: str) -> bool | None:
    """Return True for a reply with the verdict yes, False for no, None for all others."""
    return {YES: True, NO: False}.get(verdict(text))


def _field(text: str) -> str:
    """Return the verdict of the last field of JSON with a verdict; "" if there is none."""
    verdicts = []
    for match in _FIELD.finditer(text):
        name = match["name"].replace("_", " ").lower()
        value = (match["yes"] or match["no"]).lower()
        # "answer": true may mean that the assumption is true, so only yes and no count there.
        is_verdict = _OF_A_VERDICT.search(name) and value in (YES, NO)
        if is_verdict or (re.search(_ASSUMPTION, name) and _asks(name)):
            verdicts.append(_group(match, name))
    return verdicts[-1] if verdicts else ""


def _by_sentences(text: str) -> str:
    """Return the last verdict of the sentences of a text; "" if they have none."""
    verdicts, asked = [""], ""
    for sentence in _SENTENCE.split(text):
        verdicts += _read_sentence(sentence, asked)
        asked = sentence if sentence.endswith("?") else ""
    return verdicts[-1]


def _read_sentence(sentence: str, asked: str) -> Iterator[str]:
    """Yield the verdicts of a sentence after a question; "Yes and no" is undecided."""
    verdicts, position = set(), 0
    while match := _BEGINS.match(sentence, position):
        verdicts.add(_group(match, asked))
        position = match.end()
    if verdicts != {NO} or not _denies(sentence):  # "No, they never married": yes, it is false
        yield from verdicts if len(verdicts) < 2 else [UNDECIDED]
    for match in (*_NAMES.finditer(sentence), *_ENDS.finditer(sentence)):
        if not _HEDGE.search(_before(sentence, match).lower()):
            yield _group(match, sentence[: match.start()] if match[0][0] in ":–—" else "")
    if not sentence.endswith("?"):
        yield from _judgements(sentence.lower().strip())


def _denies(sentence: str) -> bool:
    """Return whether a sentence denies the fact: "They never married", "No, he did not win"."""
    return bool(_DENIAL.match(sentence)) and not _HEDGE.search(sentence.lower())


def _asks(label: str) -> set[str]:
    """Return what yes means after a question or a label, if that asks for a judgement or a fact."""
    asked = label.lower().rpartition("(")[2].strip(" ?*_:|\"'-")
    asked = re.sub(r"^(\w+)n't\b", r"\1", asked)  # "Isn't it false?"
    return {*_judgements(asked, (*_JUDGEMENTS, _ASKED))}


def _before(sentence: str, match: re.Match[str]) -> str:
    """Return the text before a match, as far as hedges and negations in it count."""
    return sentence[max(0, match.start() - _REACH) : match.start()]


def _group(match: re.Match[str], asked: str = "") -> str:
    """Return the verdict that a match contains, as the answer to a question or a label."""
    return YES if bool(match["yes"]) is not (_asks(asked) == {NO}) else NO


def _judgements(sentence: str, patterns: tuple[str, ...] = _JUDGEMENTS) -> Iterator[str]:
    """Yield yes for each statement that an assumption is false, no if it is true, or undecided."""
    if _HEDGE.search(sentence):
        return
    matches = [match for pattern in patterns for match in re.finditer(pattern, sentence)]
    for match in sorted(matches, key=lambda match: match.end()):
        is_false, negated = match["false"], match.groupdict().get("not")
        clause = _NEW_CLAUSE.split(_before(sentence, match))[-1]
        doubly = re.search(_ABSENT, clause) and len(_NEGATION.findall(clause)) > 1
        if doubly or re.match(r"\W*:\W+no\W*\Z", sentence[match.end() :]):
            yield UNDECIDED  # "not without", "the premise holds: no"
        else:
            yield YES if bool(is_false) is not bool(negated or _NEGATION.search(clause)) else NO
