"""Recognise a reply that commits to no answer, wherever in the reply it says so.

"Keith Aldridge is a retired defenceman. His birthplace isn't something I can confirm" repeats
facts of the question before it abstains.
"""

import re
from collections.abc import Iterable

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.clauses import names_topic
from kgbuild.datasets.granola.off_topic import is_off_topic
from kgbuild.datasets.granola.reply_words import NO_NAMES, begins_name, names_stranger, split_words
from kgbuild.datasets.granola.truths import Match, Truth
from kgbuild.evaluate.text_metrics import abstains, normalise

_WORDS = read_toml("granola", "refusals")
_CLAUSE = re.compile(
    r"(?P<stop>[.!?\n;:]+\s+|\s+[-–—]+\s+|,\s+)"
    r"(?:(?:but|so|and|or)\s+)?"
    r"(?:(?:as for|as to|when|where|who|what|which|for|regarding)\s[^,.!?\n]{1,60}"
    r"(?:,|\.\.+|…|\s?[–—-])\s+(?:h+m+,?\s+)?)?"
    r"(?:(?:but|so|and|or)\s+)?"
    r"|\s+(?:but|so|although|though|and|because|since)\s+",
    re.IGNORECASE,
)
_QUESTION_BACK = re.compile("|".join(_WORDS["questions_back"]), re.IGNORECASE)
"""Requests for more context: "Which one do you mean?"."""
_ASKS_FIRST = re.compile(
    r"\W*which (?:\S+ ){0,6}(?:do|did) you (?:mean|have in mind)\b", re.IGNORECASE
)
"""A reply that begins with a request for context: what follows are examples."""
_WHICH_ONE = re.compile(r"\bit\b[^.!?\n]*\bor (?:(?:the|a|an|his|her) )?[a-z][^.!?\n]*\?")
"""A question about namesakes, of whom "it" is one: "Ann Lee the singer, or the dancer?"."""
_KNOWS_OTHER = re.compile(
    r"\bI(?:['’]ve)?\b[^.!?\n]*[,;–—-]\s*(?:but )?not "
    r"(?:where|when|who|whom|whose|which|what|how)\b",
    re.IGNORECASE,
)
"""A reply that tells what it knows instead: "I only know his films, not where he studied"."""
_LACKS = re.compile(
    r"\b(?:is|are|was|were)(?:n['’]t| not) (?:something|anything|things?|facts?|details?"
    r"|a (?:fact|detail|thing)|information) (?:that |which )?I\b",
    re.IGNORECASE,
)
"""A reply that says what its writer lacks: "Such records aren't something I have access to"."""
_TIME = re.compile("|".join(_WORDS["times"]), re.IGNORECASE)
"""A number, or a word of a time; a reply about a date that has neither commits to nothing."""
_TO_USER = re.compile(r"\b(?:you|your|which|who|what|any (?:particular|specific))\b", re.IGNORECASE)
_OF_ITSELF = re.compile("|".join(_WORDS["of_itself"]), re.IGNORECASE)
"""Words about who replies, and words that deny, also in other languages."""
_NAME = re.compile(
    r"""
    ["“] [^"”\n]+ ["”]                                  # "Red Hill"
    | [A-Z][\w'’.-]* (?: \ (?: (?:de|of|the|van|von|la|del)\ )* [A-Z\d][\w'’.-]* )*   # Ann Lee
    """,
    re.VERBOSE,
)
_GUESSES = read_toml("granola", "reply_words")["hedges"]["guesses"]
_NATIONALITIES = frozenset(map(normalise, read_toml("granola", "demonyms").values()))
_HAVE = re.compile(r"\bI['’]ve\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*\s*")
_BACK_TO_SUBJECT = re.compile("|".join(_WORDS["about_subject"]), re.IGNORECASE)
"""Words of a question about the subject: "Do you mean the one from Oslo, or someone else?"."""
_BARE_GUESS = re.compile(
    rf"\W*(?P<name>[^,.;:!?\n]{{2,40}}?)\s?[,(–—-]*\s(?:{'|'.join(_GUESSES)})[\s.!)]*",
    re.IGNORECASE,
)
"""A name before a guess: "Motown, I think."."""
_MOST_GUESSED = 5
"""The greatest number of words of a name before a guess."""
_BARE_CLAIM = re.compile(
    r"\W*(?:I (?:think|believe|guess) )?[Ii]t(?: was|['’]s| is) (?:in )?[A-Z\d]"
)
"""A clause that only gives an answer: "It was Smallville"."""
_PRONOUNS = {"it", "its", "he", "his", "him", "she", "her", "hers", "they", "their", "them"}
_SUBJECT = "it"
"""The word that takes the place of the subject's name."""


def declines(reply: str, truth: Truth, match: Match) -> bool:
    """Return whether a reply without a true answer abstains; ``match`` is what it matches.

    It abstains if a clause does so and if nothing before the clause is an answer, or if it claims
    nothing and asks back which subject the question means.
    """
    text = _HAVE.sub("I have", _without_subject(reply, truth.question))
    text = _without_surname(text, truth.question)
    if is_off_topic(text, truth, match):
        return True
    if match.level is not None:
        return match.level > 1 and bool(_ASKS_FIRST.match(text))
    if abstains(text) or any(
        abstains(text[clause.end() :])
        and _is_silent(
            text[: max(clause.start(), clause.end("stop"))], text[clause.start() :], truth, match
        )
        for clause in _CLAUSE.finditer(text)
    ):
        return True
    return not match.claims and (
        any(words.search(text) for words in (_QUESTION_BACK, _WHICH_ONE, _KNOWS_OTHER, _LACKS))
        or (truth.is_date and (text.endswith("?") or not _TIME.search(text)))
        or _only_asks(text)
        or _says_nothing(text)
    )


def _says_nothing(text: str) -> bool:
    """Return whether a reply names nothing, and speaks of who replies or of what is lacking.

    "Ask me something easier!", but not "a painter".
    """
    names_nothing = not re.search(r"\d", text) and not names_stranger(text, "")
    return names_nothing and not _guesses_name(text) and bool(_OF_ITSELF.search(text))


def _guesses_name(text: str) -> bool:
    """Return whether a reply is a name and a guess: "Motown, I think", but not "Sorry, I guess"."""
    guess = _BARE_GUESS.fullmatch(text)
    words = split_words(guess["name"]) if guess else []
    return 0 < len(words) <= _MOST_GUESSED and not any(
        word.text in NO_NAMES or _OF_ITSELF.fullmatch(word.written) for word in words
    )


def names_abstention(reply: str, names: Iterable[str]) -> bool:
    """Return whether a reply has a true name that reads like an abstention: "Clueless"."""
    return any(
        abstains(name)
        and (
            normalise(name) == normalise(reply)
            or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", reply) is not None
        )
        for name in names
    )


def without_questions_back(text: str) -> str:
    """Return a reply without its questions about the subject: "Do you mean the actor of Oslo?"."""
    return "".join(
        sentence
        for sentence in _SENTENCE.findall(text)
        if not (sentence.rstrip().endswith("?") and _BACK_TO_SUBJECT.search(sentence.rstrip("? ")))
    ).strip()


def _only_asks(text: str) -> bool:
    """Return whether a reply names nothing and ends with a question to the user."""
    *_, last = re.split(r"[.!?\n]+\s+", text)
    return last.endswith("?") and bool(_TO_USER.search(last)) and not names_stranger(text, "")


def _without_subject(reply: str, question: str) -> str:
    """Return a reply with a pronoun in the place of the subject of the question."""
    names = sorted(_NAME.findall(question)[1:], key=len, reverse=True)
    for name in names:
        name = name.rstrip("?.").strip('"“”')
        if name not in reply:  # a search is faster than a pattern of its own
            continue
        possessive = re.compile(rf"[\"“]?{re.escape(name)}[\"”]?(?P<own>['’]s\b|['’])?")
        reply = possessive.sub(lambda m: "its" if m["own"] else _SUBJECT, reply)
    return reply


def _without_surname(text: str, question: str) -> str:
    """Return a reply with a pronoun for a subject that it calls by the last or the first name."""
    begins = re.match(
        r"(?:(?:I know|there (?:was|were|is|are)|which)\s)?(?P<name>[A-Z][\w'’-]+)", text
    )
    names = [name.strip('"“”?') for name in _NAME.findall(question)[1:]]
    own = {word for name in names for word in name.split()}
    if begins is None or begins["name"] not in own:
        return text
    return re.sub(rf"\b{re.escape(begins['name'])}\b", _SUBJECT, text)


def _is_silent(before: str, refusal: str, truth: Truth, match: Match) -> bool:
    """Return whether the text before a refusal gives no answer: it names nothing, or the subject.

    A name that is not the subject, as in "Smallville, but I am not sure", may be an answer, unless
    only the refusal is about the relation: "He lived in Oslo, but I don't know where he died".
    """
    words = split_words(before)
    is_named = any(
        begins_name(word) and not word.begins_sentence and word.text not in _NATIONALITIES
        for word in words
    )
    if not match.claims and not is_named and not re.search(r"\d", before):
        return len(words) != 1 or not words[0].written[:1].isupper()
    # "She'd" is "she".
    mentions_subject = any(re.split("['’]", word.written.lower())[0] in _PRONOUNS for word in words)
    is_sentence = before.rstrip().endswith((".", "!", "?", ";"))
    is_other = names_topic(refusal, truth.relation) and not _BARE_CLAIM.match(before)
    is_claimed = match.claims and not is_sentence and not is_other
    is_answer = names_topic(before, truth.relation) or is_claimed
    return mentions_subject and not is_answer
