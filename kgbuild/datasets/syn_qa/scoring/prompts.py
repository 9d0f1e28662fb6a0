"""The prompts by which models answer and judge the questions of Syn-(QA)²."""

from collections.abc import Sequence

from kgbuild.models.chat import Message, Request

FOUR_SHOT = "four-shot"
DETECTION = ("zero-shot", FOUR_SHOT, "chain-of-thought")
"""The protocols whose prompts are in the view ``syn_qa_prompts``."""
WITH_EVIDENCE = "with-evidence"
"""The protocol of detection whose prompts show statements about the items of the question."""
WITH_SEARCH = "with-search"
"""The protocol of detection whose prompts show texts of a user's file, such as search results."""
GENERATIVE = "generative"
"""The protocol that only asks the question, and does not mention false assumptions."""
LIKELIHOOD = "likelihood"
"""The protocol in which a model on this machine has to find "yes" or "no" likelier."""

_MAX_TOKENS = 2048
"""Maximum number of tokens of a reply: a chain of thought and a short verdict."""
_TASK = """\
A question contains a false assumption if it takes for granted something that is not true. Does \
the question below contain a false assumption? Judge by the evidence above, as far as that \
goes: it may be incomplete, and some of it beside the point. Answer with one word, yes or no."""


def detection(prompt: str) -> Request:
    """Return the request for a verdict: whether a question contains a false assumption.

    ``prompt`` is a text of the view, and is sent without changes.

    Source: sections 3.1 and 3.2 of the paper.
    """
    return Request((Message("user", prompt),), _MAX_TOKENS)


def likelihood(prompt: str) -> Request:
    """Return the request for the likelier verdict after a text of the view."""
    return Request((Message("user", prompt),), 1, choices=("yes", "no"))


def informed(question: str, evidence: Sequence[str]) -> Request:
    """Return the request for a verdict by evidence, with one text per line.

    Source: the setting of FreshPrompt in sections 3.2 and 3.3 of the paper.
    """
    lines = [f"- {' '.join(text.split())}" for text in evidence] or ["(nothing was found)"]
    evidence_text = "\n".join(lines)
    question_text = f"Question: {' '.join(question.split())}\nAnswer:"
    return Request(
        (Message("user", f"Evidence:\n{evidence_text}\n\n{_TASK}\n\n{question_text}"),), _MAX_TOKENS
    )


def generative(question: str) -> Request:
    """Return the request for an answer to a question.

    Source: the generative evaluation of section 3.1 of the paper.
    """
    text = f"Answer the question in one or two sentences.\n\nQuestion: {question}\nAnswer:"
    return Request((Message("user", text),), _MAX_TOKENS)
