"""Closeness in meaning by both kinds of models; the rating model is one that the tests make."""

from pathlib import Path

import pytest

from kgbuild.errors import NoModelError
from kgbuild.models.local.embeddings import closeness, similarities
from tests.test_embed import model_folder
from tests.test_score_biokalma import save_inference_model

pytestmark = pytest.mark.extras
PAIRS = [("Ann born in Graz", "Bo"), ("Bo", "Ann born in Graz"), ("", "in")]


def test_a_rating_model_reads_the_reference_first(tmp_path: Path) -> None:
    folder = save_inference_model(tmp_path / "model", ["rating"])
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    expected = []
    for text, reference in PAIRS:
        with torch.inference_mode():
            inputs = tokenizer([reference], [text], return_tensors="pt")
            expected.append(float(model(**inputs).logits[0, 0]))
    # Its outputs are ratings as they are, of any size, and not squeezed into 0 to 1.
    assert closeness(folder, PAIRS) == pytest.approx(expected, abs=1e-3)
    assert min(expected) < 0 or max(expected) > 1
    assert closeness(folder, []) == []


def test_another_model_compares_vectors() -> None:
    model = str(model_folder())
    assert closeness(model, PAIRS) == similarities(model, PAIRS)


def test_a_classifier_is_no_rating_model(tmp_path: Path) -> None:
    folder = save_inference_model(tmp_path / "model", ("no", "yes", "perhaps"))
    with pytest.raises(NoModelError, match="it has 3 classes, not one output"):
        closeness(folder, PAIRS)
