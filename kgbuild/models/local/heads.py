"""Load models on this machine for one task, and reject models that were trained for another."""

from typing import Any, NamedTuple

from kgbuild.errors import NoModelError
from kgbuild.models.local.libraries import loading, prepare

_SAFE: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
_CAUSAL = "a causal language model, which predicts each word from the words before it"


def load(name: str, head: str, kind: str) -> tuple[Any, Any]:
    """Return a model and its tokenizer; ``head`` is the class of transformers for its task.

    ``kind`` describes such models, for the error about others: those of another architecture, and
    those whose files lack the layer for the task, which would answer by chance.
    """
    with loading(name):
        import transformers

        config = transformers.AutoConfig.from_pretrained(name, **_SAFE)
        loader = getattr(transformers, head)
        is_of_kind = type(config) in loader._model_mapping
        if is_of_kind:
            model, info = loader.from_pretrained(name, output_loading_info=True, **_SAFE)
            tokenizer = transformers.AutoTokenizer.from_pretrained(name, **_SAFE)
            is_of_kind = not info["missing_keys"]
    if not is_of_kind:
        raise NoModelError(name, f"it is not {kind}")
    return model.float().eval(), tokenizer


def is_classifier(name: str) -> bool:
    """Return whether a model classifies or rates texts; False if its files do not say."""
    prepare()
    import transformers

    try:
        config = transformers.AutoConfig.from_pretrained(name, **_SAFE)
    except (OSError, ValueError):  # no such model, or several parts, as sentence-transformers has
        return False
    return any(part.endswith("ForSequenceClassification") for part in config.architectures or ())


class Causal(NamedTuple):
    """A causal model, its tokenizer, and the maximum number of tokens that it reads of a text."""

    model: Any
    tokenizer: Any
    max_tokens: int


def load_causal(name: str) -> Causal:
    """Load the causal model in a folder; its tokenizer cuts long texts at their beginning."""
    model, tokenizer = load(name, "AutoModelForCausalLM", _CAUSAL)
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
