"""How models are asked the questions of Syn-(QA)²."""

from collections.abc import Sequence

from kgbuild.models.chat import Message, Request

DETECTION = ("zero-shot", "four-shot", "chain-of-thought")
"""The protocols whose prompts stand in the view ``syn_qa_prompts``."""
WITH_EVIDENCE = "with-evidence"
"""The protocol of detection whose prompts show statements about the items of the question."""
WITH_SEARCH = "with-search"
"""The protocol of detection whose prompts show texts of a user's file: search results, say."""
GENERATIVE = "generative"
"""The protocol that asks the question alone, and does not mention false assumptions."""

_MOST_TOKENS = 2048
"""Room for a chain of thought; a verdict itself is short."""
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
    """Return the request for a verdict by evidence, which is shown one text a line.

    Source: the setting of FreshPrompt in sections 3.2 and 3.3 of the paper.
    """
    lines = [f"- {' '.join(text.split())}" for text in evidence] or ["(nothing was found)"]
    shown = "\n".join(lines)
    last = f"Question: {' '.join(question.split())}\nAnswer:"
    return Request((Message("user", f"Evidence:\n{shown}\n\n{_TASK}\n\n{last}"),), _MOST_TOKENS)


def generative(question: str) -> Request:
    """Return the request for an answer to a question.

    Source: the generative evaluation of section 3.1 of the paper.
    """
    text = f"Answer the question in one or two sentences.\n\nQuestion: {question}\nAnswer:"
    return Request((Message("user", text),), _MOST_TOKENS)
