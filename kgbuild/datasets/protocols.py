"""How models are asked: a module a dataset, and here the names of the protocols of each."""

from collections.abc import Mapping

from kgbuild.datasets.biokalma import prompts as biokalma
from kgbuild.datasets.granola import prompts as granola
from kgbuild.datasets.syn_qa import prompts as syn_qa

PROTOCOLS: Mapping[str, tuple[str, ...]] = {
    "syn_qa": (
        *syn_qa.DETECTION,
        syn_qa.WITH_EVIDENCE,
        syn_qa.WITH_SEARCH,
        syn_qa.GENERATIVE,
    ),
    "granola": (*granola.INSTRUCTIONS, granola.SAMPLED),
    "biokalma": biokalma.PROTOCOLS,
}
"""By dataset, in the order in which they are asked."""
ON_DEMAND = (granola.SAMPLED, syn_qa.WITH_EVIDENCE, syn_qa.WITH_SEARCH)
"""Those that cost more, or need more than a dataset: nobody is asked by them unbidden."""
