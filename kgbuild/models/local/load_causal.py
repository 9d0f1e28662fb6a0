"""Load causal language models on this machine, which predict each token from those before it."""

from typing import Any, NamedTuple

from kgbuild.errors import NoModelError
from kgbuild.models.local import heads
from kgbuild.models.local.libraries import loading

_CAUSAL = "a causal language model, which predicts each word from the words before it"


class Causal(NamedTuple):
    """A causal model, its tokenizer, and the maximum number of tokens that it reads of a text."""

    model: Any
    tokenizer: Any
    max_tokens: int


def load(name: str) -> Causal:
    """Load the causal model in a folder; its tokenizer cuts long texts at their beginning."""
    model, tokenizer = heads.load(name, "AutoModelForCausalLM", _CAUSAL)
    with loading(name):
        looks_ahead = _looks_ahead(model)
    if looks_ahead:  # a model of another kind
        raise NoModelError(name, f"it is not {_CAUSAL}")
    tokenizer.truncation_side = "left"
    # Without a number in its files, a model has no limit.
    positions = getattr(model.config, "max_position_embeddings", None) or 2**20
    return Causal(model, tokenizer, min(positions, tokenizer.model_max_length))


def _looks_ahead(model: Any) -> bool:
    """Return whether a model's prediction after a token depends on the tokens that follow it."""
    import torch

    with torch.inference_mode():
        first, second = model(torch.tensor([[0, 1], [0, 2]])).logits[:, 0]
    return not torch.allclose(first, second, atol=1e-4)
