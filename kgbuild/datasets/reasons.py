"""Why candidates, and parts of them, are left out, in words: by dataset."""

from collections.abc import Mapping

from kgbuild.datasets.biokalma import rows as biokalma
from kgbuild.datasets.granola import reasons as granola
from kgbuild.datasets.grouse import rows as grouse
from kgbuild.datasets.syn_qa import rows as syn_qa
from kgbuild.datasets.syn_qa.hotpotqa import build as hotpotqa

REASONS: Mapping[str, Mapping[str, str]] = {
    "syn_qa": {**hotpotqa.REASONS, **syn_qa.REASONS},
    "granola": {
        **granola.RECORD_REASONS,
        **granola.NAME_REASONS,
        **granola.QUESTION_REASONS,
        **granola.ANSWER_REASONS,
    },
    "biokalma": {
        **biokalma.FILE_REASONS,
        **biokalma.REASONS,
        **biokalma.KNOWLEDGE_REASONS,
        **biokalma.MODEL_REASONS,
    },
    "grouse": grouse.REASONS,
}
PARTS: Mapping[str, tuple[str, ...]] = {
    "granola": (*granola.ANSWER_REASONS,),
    "biokalma": (*biokalma.KNOWLEDGE_REASONS,),
}
"""The reasons for which a part of a row is left out, and not the row: by dataset."""
