"""Compare texts by their words: normalisation, token F1, and whether a reply abstains."""

import functools
import re
import string
import unicodedata
from collections import Counter

from kgbuild.english.normalize import plain
from kgbuild.evaluate.answers import final
from kgbuild.evaluate.refusal_phrases import PHRASES

_ARTICLES = {"a", "an", "the"}
_SILENT_ASCII = dict.fromkeys(map(ord, string.punctuation))
"""The ASCII characters that are removed: most texts are ASCII, for which a table is faster."""
_SENTENCE_ENDS = re.compile(r"[.!?\n]")
# Unless a guess follows: "I don't know, but maybe Paris" is an answer.
_GUESS = r"(?:but|maybe|perhaps|probably|possibly|think|believe|(?<!rather not )guess)"
_UNGUESSED = rf"(?! .*\b{_GUESS}\b)(?: .*)?"
_KNOWLEDGE = (
    r"(?:information|knowledge|data|details|records?|evidence|access|documentation|sources?|entry"
    r"|mention|trace|account|references?|clue)"
)
_SOURCES = (
    r"(?:sources?|passages?|documents?|texts?|articles?|context|data|dataset|knowledge|records?"
    r"|references?|biographies|archives?|materials?|notes|files|memory)"
)
"""The subject of "The sources I have do not say where"."""
_OF_SOURCES = (
    r"(?:ancient|old|early|available|contemporary|surviving|historical|most|published|online"
    r"|public)"
)
"""What stands before the sources: "Ancient sources do not say where"."""
_SORT = (
    r"(?:(?:any|enough|sufficient|specific|reliable|relevant|further|publicly|public|that|the|an|a"
    r"|available|verified|confirmed|detailed|definitive|exact|precise|credible|solid|dependable"
    r"|trustworthy|firm|hard|good|useful|certain|real|clear|uptodate|up to date|current|recent"
    r"|latest|live|realtime|complete|personal) )*"
)
_OPENING = (
    r"(?:(?:sorry|unfortunately|sadly|regrettably|but|afraid|im|i|am|apologize|apologise"
    r"|apologies|my|answer|it|its|is|as|thats|theres|really|simply|just|actually|truly|ai|assistant"
    r"|(?:large )?language|model"
    r"|(?:going to|would) have to say(?: that)?|however|there|was|were|hmm|well|honestly"
    r"|to be honest|(?:must|have to) admit(?: that)?"
    r"|as of my (?:last )?(?:knowledge cutoff|update|training)"
    r"|as far as i (?:can tell|know|can see)|(?:to|in) (?:the )?best of my knowledge"
    r"|this|that|question) )*"
)
"""Words before an abstention: "Sorry, but as an AI language model I …"."""
_FACT = (
    r"(?:release |founding )?(?:his|her|their|its|exact|precise|birthplace|birth|place|date|year"
    r"|location|name|details|information|data|this|that|it)\b(?: \S+){0,8}?"
)
"""The subject of "Her exact date of birth is not documented"."""
_OPEN = (
    r"(?:known|documented|recorded|available|disclosed|clear|public|certain|specified|stated|given"
    r"|mentioned|listed)"
)
_PHRASES = "|".join(rf"(?:{phrase}){_UNGUESSED}" for phrase in PHRASES)
# Of normalised text.
_ABSTENTION = re.compile(
    _OPENING + r"(?:(?:idk(?: .*)?|unknown(?: to \S+)?|not known|unclear|undisclosed|dunno"
    rf"|{_PHRASES}"
    r"|(?:no|zero) (?:answers?|results?|match(?:es)?|luck)"
    r"(?: (?:was |were )?(?:found|available|known|here))?"
    rf"|nothing (?:was )?found{_UNGUESSED}"
    rf"|(?:can|could|would) only speculate{_UNGUESSED}"
    rf"|(?:knowledge|training|data) (?:does not|doesnt) (?:extend|reach|go){_UNGUESSED}"
    r"|(?:(?:have|dont have|do not have) )?(?:no|not|havent|any|foggiest|faintest|slightest)"
    rf"(?: (?:foggiest|faintest|slightest|remotest))? (?:idea|clue|notion){_UNGUESSED}"
    rf"|(?:beats|search) me|your guess is as good as mine|wish i knew"
    r"|(?:(?:ill|will|must|id|would)(?: have to)? )?(?:pass|skip (?:this|that|it))"
    r"(?: on \S+(?: \S+)?)?"
    rf"|(?:\S+ )?(?:escapes|eludes) me{_UNGUESSED}|draw(?:ing)? (?:complete )?blank{_UNGUESSED}"
    rf"|(?:id|would|could|can|will) (?:only )?(?:be )?(?:only )?guess(?:ing)?"
    rf"|(?:(?:id|would|could) (?:only |just )?|am )(?:have to (?:guess|speculate|look)"
    rf"|be (?:guessing|speculating|making|lying)|(?:guessing|speculating)){_UNGUESSED}"
    rf"|(?:nothing|no \S+(?: \S+)?) comes to mind{_UNGUESSED}"
    rf"|(?:theres |have |is )?no way (?:for me )?(?:to|of) (?:know|tell|say|verify|check)\S*"
    rf"{_UNGUESSED}"
    rf"|(?:hard|impossible|difficult) (?:for me )?to (?:say|tell|determine|know|verify){_UNGUESSED}"
    rf"|nothing (?:\S+ ){{0,3}}(?:known|recorded|documented|about|on){_UNGUESSED}"
    rf"|(?:i )?(?:have|know of|found|find|see) no (?!doubt|question|reason)\S+(?: \S+)? "
    rf"(?:for|of|on|about|regarding|that){_UNGUESSED}"
    rf"|(?:{_OF_SOURCES} )?{_SOURCES}(?: \S+){{0,4}} "
    r"(?:do not|dont|does not|doesnt|did not|didnt)(?: \S+)? "
    rf"(?:say|state|mention|include|give|specify|contain|cover|record|tell|indicate|provide|reveal"
    rf"|list|name|document){_UNGUESSED}"
    rf"|(?:have |have a )?(?:no|insufficient|not enough) {_SORT}{_KNOWLEDGE}{_UNGUESSED}"
    rf"|(?:isnt|is not|arent|are not|wasnt) {_SORT}{_KNOWLEDGE}{_UNGUESSED}"
    rf"|(?:information|data) (?:is |was )?(?:not available|unavailable|not found){_UNGUESSED}"
    r"|not (?:available|specified|mentioned|stated|given|provided|applicable|enough information)"
    rf"|(?:really )?(?:dont|do not) (?:really |think i )?(?:know|recall|remember){_UNGUESSED}"
    rf"|(?:(?:dont|do not) (?:seem to )?have|lack) {_SORT}(?:{_KNOWLEDGE}|answer){_UNGUESSED}"
    rf"|(?:dont|do not) have (?:it|this|that|one|(?:\S+ ){{0,4}}(?:date|year|place|birthplace|name"
    rf"|address|location|at hand|to hand|on file|on record|available)){_UNGUESSED}"
    r"|(?:was |were |am )?"
    r"(?:cannot|can not|cant|couldnt|could not|unable to|(?:not|wasnt) able to)"
    rf" (?:\S+ly )?(?:be )?(?:answer|say|tell|determine|find|locate|identify|confirm|verify|provide"
    rf"|help|know|look|name|give|offer|recall|remember|access|browse|check|retrieve|trace"
    rf"|establish|pin|keep|distinguish|separate|disentangle|decide|commit|vouch)(?:e?d)?{_UNGUESSED}"
    rf"|(?:did not|didnt) find{_UNGUESSED}"
    rf"|no (?:\S+ ){{1,8}}(?:is|are) (?:known|available|accessible) to me{_UNGUESSED}"
    rf"|{_SOURCES} (?:\S+ )?(?:contain|have|hold|say|show|offer|list|give)s? nothing{_UNGUESSED}"
    rf"|(?:will |must )?(?:have to )?leave (?:this|that|it) (?:open|blank|unanswered){_UNGUESSED}"
    rf"|not (?:aware of|familiar with|something i know){_UNGUESSED}"
    r"|(?:not sure|not certain|unsure|uncertain|not (?:clear|known) to me|(?:dont|do not) feel"
    rf" (?:\S+ )?(?:confident|comfortable|certain|sure|qualified)){_UNGUESSED}"
    r"|(?:id |would )?(?:rather not|not want to|prefer not to|refuse to|decline to|wont"
    r"|(?:do not|dont|would not|wouldnt) (?:want|wish|like|care) to)"
    r"(?: (?:guess|say|answer|speculate|give|name|pick|state|commit|mislead|invent|make|mix)"
    rf"{_UNGUESSED})?"
    r"|(?:nobody|no one) (?:really )?knows(?: (?:for|exactly|when|where|who|what|which|how)"
    rf"{_UNGUESSED})?"
    rf"|no (?:reliable |known )?sources? (?:state|say|give|mention)s?{_UNGUESSED}"
    rf"|(?:is |thats )?beyond (?:my knowledge|me){_UNGUESSED}"
    rf"|(?:training )?data (?:does not|doesnt|do not) (?:include|contain|cover){_UNGUESSED}"
    rf"|not (?:publicly |widely |well ){_OPEN}{_UNGUESSED}"
    rf"|unclear (?:where|when|who|what|which|if|whether|how){_UNGUESSED})"
    rf"|{_FACT} (?:(?:is|are|was|were|remains?) (?:un(?:known|clear|certain|available|documented"
    rf"|recorded|published)"
    rf"|(?:not|no longer) (?:publicly |widely |well |yet )?{_OPEN})"
    rf"|(?:isnt|arent|wasnt) (?:publicly |widely |well )?{_OPEN}"
    rf"|(?:isnt|arent|is not|are not) (?:something|anything|a detail|information|a fact) "
    rf"(?:that )?i (?:can|could|am|have|know)"
    rf"|(?:cannot|could not|cant|couldnt) be (?:determined|established|verified|confirmed|traced)"
    rf"|appears? in none of"
    rf"|(?:has|have) not been (?:publicly )?(?:{_OPEN}|revealed|made public)){_UNGUESSED})"
)
_ANSWERS_AFTER_ALL = re.compile(
    r"[.!?\n]\W*(?:however|but|that said|still|nevertheless|nonetheless|as of|based on|according to"
    r"|in general|in most|it is possible|it's possible)\b",
    re.IGNORECASE,
)
"""How an answer begins that follows an abstention."""
_LONGEST_NAME = 64
"""Maximum number of characters of the texts whose normalised form is kept."""
_ONLY_MARKS = re.compile(r"[?\s]+|[-–—…]+|\.{3,}")
"""A reply without words that says nothing; "!!!" is a band."""
_NOT_APPLICABLE = re.compile(r"\W*n(?:/|\.\s?)a(?:\W+|$)", re.IGNORECASE)
"""Whose letters alone, "NA", may be an answer."""


def normalise(text: str) -> str:
    """Return a text for comparison: without case, punctuation, articles and doubled spaces.

    ASCII is normalised as by SQuAD. In other texts, characters that are compatible in Unicode
    (NFKC) become equal, and accents, symbols and letters without a width are removed, since models
    leave accents out: "São" is "sao". A text of only articles or punctuation keeps them: "The The"
    and "!!!" are bands.

    Known weakness: as in SQuAD, punctuation leaves no gap, so "Stratford-upon-Avon" is one word
    and shares none with "Stratford upon Avon". Words that differ by accents only become equal.

    Source: P. Rajpurkar, J. Zhang, K. Lopyrev and P. Liang, SQuAD: 100,000+ questions for
    machine comprehension of text (2016), section 6.1.
    """
    return _normalise_name(text) if len(text) <= _LONGEST_NAME else _normalise(text)


@functools.lru_cache(maxsize=2**17)  # a dataset repeats the names of places many times
def _normalise_name(text: str) -> str:
    return _normalise(text)


def _normalise(text: str) -> str:
    if text.isascii():
        folded = text.lower()
        words = folded.translate(_SILENT_ASCII).split()
        kept = [word for word in words if word not in _ARTICLES]
        return " ".join(kept or words or folded.split())
    words = " ".join(map(_voiced, text.split())).split()
    kept = [word for word in words if word not in _ARTICLES]
    return unicodedata.normalize("NFKC", " ".join(kept or words or plain(text).split()))


@functools.lru_cache(maxsize=2**16)
def _voiced(part: str) -> str:
    """Return a part of a text that has no space in it, without case and punctuation."""
    letters = ((letter, unicodedata.category(letter)) for letter in plain(part))
    return "".join(letter for letter, kind in letters if kind[0] not in "PS" and kind != "Cf")


def f1(a: str, b: str) -> float:
    """Return the token F1 of two texts, from 0 to 1: twice the words shared, by all words.

    Words are normalised, and count as often as they occur, in any order. Two texts without words
    have 0.

    Games it: words that many names share ("University of …"). Known weakness: "the father of
    Ann" and "Ann of the father" are equal, and a right answer in a long sentence has a low F1.

    Source: section 6.1 of the SQuAD paper; it goes back to C. J. van Rijsbergen, Information
    retrieval (1979).
    """
    return f1_of_counts(words(a), words(b))


@functools.lru_cache(maxsize=2**16)  # countries and continents are answers to many questions
def words(text: str) -> Counter[str]:
    """Return the words of a text with their counts, which callers must not change."""
    return Counter(normalise(text).split())


def f1_of_counts(counts: Counter[str], other: Counter[str]) -> float:
    """Return the token F1 of two texts by the counts of their words."""
    common = shared(counts, other)
    return 2 * common / (counts.total() + other.total()) if common else 0.0


def shared(counts: Counter[str], other: Counter[str]) -> int:
    """Return how many words two texts share, each as often as both have it."""
    # Equal to (counts & other).total(), but many times faster if one text is much longer.
    both = counts.keys() & other.keys()
    return sum(map(min, map(counts.__getitem__, both), map(other.__getitem__, both)))


def abstains(text: str) -> bool:
    """Return whether a model abstains from an answer.

    It abstains by "IDK", as the paper's prompts ask for, by "N/A", or by a usual sentence ("I don't
    know who wrote it", "Unknown", "I'm not sure", "Her birthplace is not documented") at the
    beginning. With a guess in the same sentence ("but maybe Paris"), or an answer behind it
    ("However, …"), it is an answer. An empty text is no abstention, since a failure must not raise
    selective scores.

    Known weakness: other ways to abstain count as wrong answers, and the name of a work such as
    "Don't Know Why" as an abstention.
    """
    answer = final(text)
    if _ONLY_MARKS.fullmatch(answer):
        return True
    if _ANSWERS_AFTER_ALL.search(answer):
        return False
    if not_applicable := _NOT_APPLICABLE.match(answer):
        reason = answer[not_applicable.end() :]
        return not reason or abstains(reason)
    return bool(_ABSTENTION.fullmatch(normalise(_SENTENCE_ENDS.split(answer)[0])))
