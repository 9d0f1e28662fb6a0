"""Load causal language models on this machine, which predict each token from those before it."""

from typing import Any, NamedTuple

from kgbuild.errors import NoModelError
from kgbuild.models.local_libraries import loading

_NOT_CAUSAL = "it is not a causal language model, which predicts each word from the words before it"
_UNLIMITED = 2**20
"""The number of tokens that a model reads if its files do not say."""


class Causal(NamedTuple):
    """A causal model, its tokenizer, and the maximum number of tokens that it reads of a text."""

    model: Any
    tokenizer: Any
    max_tokens: int


def load(name: str) -> Causal:
    """Load the causal model in a folder; its tokenizer cuts long texts at their beginning.

    Raises:
        MissingExtraError: transformers, which comes with sentence-transformers, is not installed.
        NoModelError: the model is not on this machine, cannot be used, or is not a causal model.
    """
    safe: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with loading(name):
        import transformers

        config = transformers.AutoConfig.from_pretrained(name, **safe)
        is_causal = type(config) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING
        if is_causal:
            models, tokenizers = transformers.AutoModelForCausalLM, transformers.AutoTokenizer
            model, info = models.from_pretrained(name, output_loading_info=True, **safe)
            tokenizer = tokenizers.from_pretrained(name, truncation_side="left", **safe)
            # A model of another kind lacks the weights of the output layer, or looks ahead.
            is_causal = not info["missing_keys"] and not _looks_ahead(model.float().eval())
    if not is_causal:
        raise NoModelError(name, _NOT_CAUSAL)
    positions = getattr(config, "max_position_embeddings", None) or _UNLIMITED
    return Causal(model, tokenizer, min(positions, tokenizer.model_max_length))


def _looks_ahead(model: Any) -> bool:
    """Return whether a model's prediction after a token depends on the tokens that follow it."""
    import torch

    with torch.inference_mode():
        first, second = model(torch.tensor([[0, 1], [0, 2]])).logits[:, 0]
    return not torch.allclose(first, second, atol=1e-4)
