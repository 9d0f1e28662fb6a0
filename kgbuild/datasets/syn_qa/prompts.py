"""How models are asked the questions of Syn-(QA)²."""

from collections.abc import Sequence

from kgbuild.models.chat import Message, Request

DETECTION = ("zero-shot", "four-shot", "chain-of-thought")
"""The protocols whose prompts stand in the view ``syn_qa_prompts``."""
WITH_EVIDENCE = "with-evidence"
"""The protocol of detection whose prompts show what the store says of the question's items."""
WITH_SEARCH = "with-search"
"""The one whose prompts show what somebody found, such as the results of a search engine."""
GENERATIVE = "generative"
"""The protocol that just asks the question, and tells nothing of false assumptions."""

_MOST_TOKENS = 2048
"""Room for thoughts as well: a verdict itself is short."""
_TASK = """\
A question contains a false assumption if it takes for granted something that is not true. Does \
the question below contain a false assumption? Judge by the evidence above, as far as that \
goes: it may be incomplete, and some of it beside the point. Answer with one word, yes or no."""


def detection(prompt: str) -> Request:
    """Return the request for a verdict: whether a question contains a false assumption.

    ``prompt`` is a text of the view, and is sent as it is.

    Source: sections 3.1 and 3.2 of the paper.
    """
    return Request((Message("user", prompt),), _MOST_TOKENS)


def informed(question: str, evidence: Sequence[str]) -> Request:
    """Return the request for a verdict by evidence: one text a line, in the order that is given.

    Source: the setting of FreshPrompt in sections 3.2 and 3.3 of the paper.
    """
    lines = [f"- {' '.join(text.split())}" for text in evidence] or ["(nothing was found)"]
    told = "\n".join(lines)
    asked = f"Question: {' '.join(question.split())}\nAnswer:"
    return Request((Message("user", f"Evidence:\n{told}\n\n{_TASK}\n\n{asked}"),), _MOST_TOKENS)


def generative(question: str) -> Request:
    """Return the request for an answer to a question, whatever it takes for granted.

    Source: the generative evaluation of section 3.1 of the paper.
    """
    text = f"Answer the question in one or two sentences.\n\nQuestion: {question}\nAnswer:"
    return Request((Message("user", text),), _MOST_TOKENS)
