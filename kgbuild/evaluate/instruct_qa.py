"""Score answers by the words that they share with references and knowledge, as in Instruct-QA.

An answer is compared with references, the short right answers, for its correctness, and with
knowledge, the passages that the model was given, for its faithfulness. Models that follow
instructions answer in sentences, so what asks for the reference and nothing else (exact match,
F1) finds fault with answers that people find right.

All metrics go from 0 to 1, compare words after ``normalise``, and count a word as often as it
stands there. None knows a synonym, a negation, or a number written out: "not in Rome" has all
the words of "Rome".

Source: V. Adlakha, P. BehnamGhader, X. H. Lu, N. Meade and S. Reddy, Evaluating correctness and
faithfulness of instruction-following models for question answering (2024), whose parts on
correctness and on faithfulness compare these metrics with people's judgements.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from kgbuild.evaluate.text_metrics import f1_of_counts, normalise, shared


class Text(NamedTuple):
    """The words of a text in their order, and how often each stands there."""

    words: Sequence[str]
    counts: Counter[str]


def read(text: str) -> Text:
    """Return a text as the metrics see it."""
    return _of(normalise(text).split())


def _of(words: Sequence[str]) -> Text:
    return Text(words, Counter(words))


def _without(text: Text, question: Text) -> Text:
    """Return a text without the words of a question."""
    return _of([word for word in text.words if word not in question.counts])


def _share(part: Text, whole: Text) -> float:
    """Return the share of the words of one text that stand in another; 0 of no words."""
    return shared(part.counts, whole.counts) / len(part.words) if part.words else 0.0


def exact_match(answer: Text, reference: Text) -> float:
    """Return 1 if an answer is the reference and nothing else, or 0.

    Games it: nothing but the right answer, or a guess in few words. Known weakness: a right
    answer in a sentence has 0.

    Source: P. Rajpurkar, J. Zhang, K. Lopyrev and P. Liang, SQuAD: 100,000+ questions for
    machine comprehension of text (2016), section 6.1.
    """
    return float(answer.words == reference.words)


def f1(answer: Text, reference: Text) -> float:
    """Return the harmonic mean of precision and recall.

    Games it: brevity, and what is common to many names ("University of …"). Known weakness: a
    right answer in a long sentence has a low one, so the longest right answers have the lowest.

    Source: section 6.1 of the SQuAD paper.
    """
    return f1_of_counts(answer.counts, reference.counts)


def precision(answer: Text, reference: Text) -> float:
    """Return the share of an answer's words that stand in the reference; 0 of no words.

    Games it: a single word that is sure to be right. Known weakness: every word of explanation
    counts as an error.

    Source: as for ``f1``.
    """
    return _share(answer, reference)


def recall(answer: Text, reference: Text) -> float:
    """Return the share of the reference's words that stand in an answer.

    Of these metrics it goes best with what people call correct, as it does not mind sentences.

    Games it: naming many answers, or copying all passages. Known weakness: words count wherever
    they stand, so "Adam Jones, a friend of Paul Smith" has all the words of "Adam Smith"; and a
    wrong year that stands with a right one costs nothing.

    Source: the paper's part on correctness.
    """
    return _share(reference, answer)


def strict_recall(answer: Text, reference: Text) -> float:
    """Return 1 if all words of the reference stand in an answer in a row, or 0.

    They are whole words, so "art" does not stand in "Bart". It is never above ``recall``.

    Games it: as for ``recall``, naming many answers, or copying all passages. Known weakness:
    a name with an initial in between, or a date in another order, has 0.

    Source: the paper's part on correctness, where it is the strict sort of recall.
    """
    return float(f" {' '.join(reference.words)} " in f" {' '.join(answer.words)} ")


def rouge_l(answer: Text, reference: Text) -> float:
    """Return the F1 of the longest words in common that stand in the same order in both.

    There may be other words between them. It is never above ``f1``.

    Games it: brevity, as for ``f1``. Known weakness: as for ``f1``, and of "on 4 May 1970" and
    "May 4, 1970" it sees two words of three. The package rouge-score takes punctuation for a
    space, leaves articles in, and knows letters from a to z only, so its numbers differ a little.

    Source: C.-Y. Lin, ROUGE: a package for automatic evaluation of summaries (2004), section 3,
    with equal weights.
    """
    common = _common_in_order(answer.words, reference.words)
    return 2 * common / (len(answer.words) + len(reference.words)) if common else 0.0


def _common_in_order(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    A bit for each word of the one stays set as long as it brings nothing longer. So a word of
    the other costs a few operations on integers, not one for each word of the one.

    Source: H. Hyyrö, Bit-parallel LCS-length computation revisited (2004).
    """
    places: dict[str, int] = {}
    for place, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << place
    free = every = (1 << len(one)) - 1
    for word in other:
        hit = free & places.get(word, 0)
        free = (free + hit | free - hit) & every
    return len(one) - free.bit_count()


def k_f1(answer: Text, knowledge: Text) -> float:
    """Return the harmonic mean of ``k_precision`` and ``k_recall``.

    Games it: copying all passages gives 1. Known weakness: passages are much longer than
    answers, so a short faithful answer has a low one, and a long unfaithful one a higher.

    Source: K. Shuster, S. Poff, M. Chen, D. Kiela and J. Weston, Retrieval augmentation reduces
    hallucination in conversation (2021); the paper's part on faithfulness.
    """
    return f1(answer, knowledge)


def k_precision(answer: Text, knowledge: Text) -> float:
    """Return the share of an answer's words that stand in the knowledge; 0 of no words.

    Of these metrics it goes best with what people call faithful, as it does not ask for all of
    the knowledge.

    Games it: copying any passage, whatever the question, gives 1; so does a single common word.
    Known weakness: words from anywhere in the knowledge may be put together to a falsehood, and
    faithful words of one's own count as errors.

    Source: the paper's part on faithfulness, which proposes it.
    """
    return precision(answer, knowledge)


def k_recall(answer: Text, knowledge: Text) -> float:
    """Return the share of the knowledge's words that stand in an answer.

    Games it: copying all passages gives 1, whatever else stands there. Known weakness: no
    question asks for all of the knowledge, so it is rather a measure of length.

    Source: as for ``k_f1``, of which it is a part.
    """
    return recall(answer, knowledge)


def k_f1_plus_plus(answer: Text, knowledge: Text, question: Text) -> float:
    """Return ``k_f1`` of what an answer says beyond the question's words: K-F1++.

    An answer without such words has 0.

    Games it: copying all passages. Known weakness: as for ``k_f1``; and the question's words
    stay in the knowledge, so even a copy has less than 1.

    Source: S. Chiesurin and others, The dangers of trusting stochastic parrots: faithfulness and
    trust in open-domain conversational question answering (2023).
    """
    return k_f1(_without(answer, question), knowledge)


def k_precision_plus_plus(answer: Text, knowledge: Text, question: Text) -> float:
    """Return ``k_precision`` of what an answer says beyond the question's words: K-Precision++.

    An answer that says something, but nothing beyond them, has 1: nothing in it is unfounded.
    So repeating the question no longer makes an answer look better or worse founded.

    Games it: copying a passage, and saying the question again without an answer. Known
    weakness: in "Was he born in Lund or in Malmö?" the answer itself is set aside.

    Source: the metric is ``k_precision`` with the idea of ``k_f1_plus_plus``.
    """
    beyond = _without(answer, question)
    return 1.0 if answer.words and not beyond.words else k_precision(beyond, knowledge)


def k_recall_plus_plus(answer: Text, knowledge: Text, question: Text) -> float:
    """Return ``k_recall`` of what an answer says beyond the question's words: K-Recall++.

    An answer without such words has 0.

    Games it: copying all passages. Known weakness: as for ``k_f1_plus_plus``.

    Source: the metric is ``k_recall`` with the idea of ``k_f1_plus_plus``.
    """
    return k_recall(_without(answer, question), knowledge)


OF_REFERENCES: Mapping[str, Callable[[Text, Text], float]] = {
    "exact match": exact_match,
    "F1": f1,
    "precision": precision,
    "recall": recall,
    "strict recall": strict_recall,
    "ROUGE-L": rouge_l,
}
OF_KNOWLEDGE: Mapping[str, Callable[[Text, Text], float]] = {
    "K-F1": k_f1,
    "K-precision": k_precision,
    "K-recall": k_recall,
}
OF_KNOWLEDGE_AND_QUESTION: Mapping[str, Callable[[Text, Text, Text], float]] = {
    "K-F1++": k_f1_plus_plus,
    "K-precision++": k_precision_plus_plus,
    "K-recall++": k_recall_plus_plus,
}
"""The metrics by the names that people know them by, and by what they need."""


def measure(
    prediction: str, references: Sequence[str], knowledge: Sequence[str], question: str
) -> dict[str, float]:
    """Return the metrics of a prediction by name: all those of which the inputs are there.

    Of several references the best one counts, for each metric by itself. The passages of the
    knowledge count as one text. An input without words is none; a prediction without words is
    one, and has 0 in all metrics.
    """
    said, asked, known = read(prediction), read(question), read(" ".join(knowledge))
    right = [text for text in map(read, references) if text.words]
    found = {}
    if right:
        for name, metric in OF_REFERENCES.items():
            found[name] = max(metric(said, reference) for reference in right)
    if known.words:
        found.update((name, metric(said, known)) for name, metric in OF_KNOWLEDGE.items())
    if known.words and asked.words:
        for name, beyond in OF_KNOWLEDGE_AND_QUESTION.items():
            found[name] = beyond(said, known, asked)
    return found
