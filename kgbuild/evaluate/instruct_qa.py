"""Score answers by the words that they share with references and knowledge, as in Instruct-QA.

Correctness compares an answer with references, which are short right answers; faithfulness
compares it with knowledge, the passages in the model's prompt. Models answer in sentences, so
exact match and F1 reject answers that people accept.

All metrics go from 0 to 1, compare words after ``normalise``, and count a word as often as it
occurs. Known weakness of all: they ignore synonyms and negations. "Not in Rome" has all the words
of "Rome".

Source: V. Adlakha, P. BehnamGhader, X. H. Lu, N. Meade and S. Reddy, Evaluating correctness and
faithfulness of instruction-following models for question answering (2024), whose parts on
correctness and on faithfulness compare these metrics with people's judgements.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.evaluate.stems import stems
from kgbuild.evaluate.text_metrics import f1_of_counts, normalise, shared

Measured: TypeAlias = dict[str, float]
"""The metrics of an answer by name, without those whose inputs are missing."""


class GroundedAnswer(NamedTuple):
    """A model's answer, and the texts it is compared with; empty where the file has none."""

    prediction: str
    references: Sequence[str]
    knowledge: Sequence[str]
    question: str


class RatedText(NamedTuple):
    """The words of a text in their order, how often each occurs, and the same of its stems."""

    words: Sequence[str]
    counts: Counter[str]
    stems: Counter[str]


def read(text: str) -> RatedText:
    """Return the normalised words and the stems of a text."""
    words = normalise(text).split()
    return RatedText(words, Counter(words), stems(text))


def _share(part: Counter[str], whole: Counter[str]) -> float:
    """Return the share of the words of one text that another one has; 0 without words."""
    return shared(part, whole) / part.total() if part else 0.0


def exact_match(answer: RatedText, reference: RatedText) -> float:
    """Return 1 if an answer is the reference and nothing else, or 0.

    Games it: a guess in few words. Known weakness: a right answer in a sentence has 0.

    Source: P. Rajpurkar, J. Zhang, K. Lopyrev and P. Liang, SQuAD: 100,000+ questions for
    machine comprehension of text (2016), section 6.1.
    """
    return float(answer.words == reference.words)


def f1(answer: RatedText, reference: RatedText) -> float:
    """Return the harmonic mean of precision and recall.

    Games it: brevity, and what games ``text_metrics.f1``. Known weakness: as there. Source: as
    there.
    """
    return f1_of_counts(answer.counts, reference.counts)


def precision(answer: RatedText, reference: RatedText) -> float:
    """Return the share of an answer's words that the reference has; 0 without words.

    Games it: a single sure word. Known weakness: each word of explanation counts as an error.

    Source: as for ``f1``.
    """
    return _share(answer.counts, reference.counts)


def recall(answer: RatedText, reference: RatedText) -> float:
    """Return the share of the reference's words that an answer has.

    Of the paper's metrics that count words, it correlates best with human judgements of
    correctness, since it does not punish sentences.

    Games it: naming many answers, or copying all passages. Known weakness: words count in any
    place, so "Adam Jones, a friend of Paul Smith" has all the words of "Adam Smith".

    Source: the paper's part on correctness.
    """
    return _share(reference.counts, answer.counts)


def strict_recall(answer: RatedText, reference: RatedText) -> float:
    """Return 1 if an answer has the reference in it, character by character, else 0.

    Words need not be whole: "Lund1" has "Lund", as in answers whose citations stick to words. On
    answers that people judged, it agrees with them better than ``whole_word_recall``.

    Games it: as for ``recall``. Known weakness: "Bartok" has "Bart", and so it may be above
    ``recall``; a name with an initial in between, or a date in another order, has 0.

    Source: the paper's part on correctness, and its published code (RecallEM).
    """
    return float(" ".join(reference.words) in " ".join(answer.words))


def whole_word_recall(answer: RatedText, reference: RatedText) -> float:
    """Return 1 if an answer has all words of the reference in a row, else 0.

    Words are compared as a whole: "art" is not in "Bart". It is never above ``recall``.

    Games it: as for ``recall``. Known weakness: as for ``strict_recall``, and "Lund1" is another
    word than "Lund".

    Source: ``strict_recall``, with whole words.
    """
    return float(f" {' '.join(reference.words)} " in f" {' '.join(answer.words)} ")


def stem_recall(answer: RatedText, reference: RatedText) -> float:
    """Return the share of the reference's stems that an answer has; see ``stems``.

    On answers that people judged, it agrees with them better than ``recall``: "German" has the
    stem of "Germany", and "3rd" is "third".

    Games it: as for ``recall``. Known weakness: as for ``recall``, and "Martina" has the stem of
    "Martin".

    Source: ``recall``, with stems.
    """
    return _share(reference.stems, answer.stems)


def stem_precision(answer: RatedText, passages: RatedText) -> float:
    """Return the share of an answer's stems that the passages have; 0 without words."""
    return _share(answer.stems, passages.stems)


def rouge_l(answer: RatedText, reference: RatedText) -> float:
    """Return the F1 of the longest sequence of words that both have in the same order.

    There may be other words between them. It is never above ``f1``.

    Games it: brevity. Known weakness: as for ``f1``, and of "on 4 May 1970" and "May 4, 1970" it
    counts two words of three. The package rouge-score normalises texts in another way, so its
    numbers differ a little.

    Source: C.-Y. Lin, ROUGE: a package for automatic evaluation of summaries (2004), section 3,
    with equal weights.
    """
    common = _common_in_order(answer.words, reference.words)
    return 2 * common / (len(answer.words) + len(reference.words)) if common else 0.0


def _common_in_order(words: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    The words of the first text are the bits of an integer. So a word of the other text costs a few
    operations on integers, not one for each word of the first.

    Source: H. Hyyrö, Bit-parallel LCS-length computation revisited (2004).
    """
    places: dict[str, int] = {}
    for place, word in enumerate(words):
        places[word] = places.get(word, 0) | 1 << place
    free = every = (1 << len(words)) - 1
    for word in other:
        hit = free & places.get(word, 0)
        free = (free + hit | free - hit) & every
    return len(words) - free.bit_count()


OF_REFERENCES: Mapping[str, Callable[[RatedText, RatedText], float]] = {
    "exact match": exact_match,
    "F1": f1,
    "precision": precision,
    "recall": recall,
    "stem recall": stem_recall,
    "strict recall": strict_recall,
    "whole-word recall": whole_word_recall,
    "ROUGE-L": rouge_l,
}
OF_KNOWLEDGE: Mapping[str, Callable[[RatedText, RatedText], float]] = {
    "K-F1": f1,
    "K-precision": precision,
    "K-recall": recall,
    "K-stem precision": stem_precision,
}
"""The metrics of faithfulness, which compare an answer with the knowledge as one text.

Of the paper's metrics that count words, K-precision correlates best with human judgements of
faithfulness, since an answer need not repeat all of the knowledge. K-stem precision, which compares
stems as ``stem_recall`` does, agrees with people a little better.

Games them: copying all passages; for K-precision, copying any passage, or a single common word.
Known weakness: words from anywhere in the knowledge may form a false sentence, and faithful
paraphrases count as errors. Passages are much longer than answers, so a short faithful answer has
a lower K-F1 than a long unfaithful one, and K-recall mostly measures length.

Source: K. Shuster, S. Poff, M. Chen, D. Kiela and J. Weston, Retrieval augmentation reduces
hallucination in conversation (2021); the paper's part on faithfulness, which proposes K-precision.
"""
OF_KNOWLEDGE_AND_QUESTION = ("K-F1++", "K-precision++", "K-recall++")
"""The metrics of the paper of an answer without the words of the question.

An answer of such words only has 1 in all three, as in the paper's published code: nothing in it is
unfounded. There, an empty answer has 1, too; here it has 0.

Games them: as for ``OF_KNOWLEDGE``; and repeating the question without an answer.
Known weakness: in "Was he born in Lund or in Malmö?" the answer itself is removed; the words of the
question stay in the knowledge, so even a copy has less than 1 in K-F1++ and K-recall++.

Source: S. Chiesurin and others, The dangers of trusting stochastic parrots: faithfulness and
trust in open-domain conversational question answering (2023), for K-F1++; the others follow it.
"""


def measure(
    prediction: str, references: Sequence[str], knowledge: Sequence[str], question: str
) -> dict[str, float]:
    """Return the metrics of a prediction by name: those whose inputs have words.

    With several references, each metric takes its best one. The passages of the knowledge count
    as one text. A prediction without words has 0 in all metrics.
    """
    answer, passages = read(prediction), read(" ".join(knowledge))
    right = [text for text in map(read, references) if text.words]
    question_words = read(question).counts
    scores = {}
    if right:
        for name, metric in OF_REFERENCES.items():
            scores[name] = max(metric(answer, reference) for reference in right)
    if passages.words:
        scores |= {name: metric(answer, passages) for name, metric in OF_KNOWLEDGE.items()}
    if passages.words and question_words:
        words = [word for word in answer.words if word not in question_words]
        beyond = RatedText(words, Counter(words), Counter())
        for name in OF_KNOWLEDGE_AND_QUESTION:
            scores[name] = OF_KNOWLEDGE[name.removesuffix("++")](beyond, passages)
        if answer.words and not beyond.words:
            scores |= dict.fromkeys(OF_KNOWLEDGE_AND_QUESTION, 1.0)
    return scores
