"""The registry of datasets: a new one is a line here and a folder of its own."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Dataset:
    """A dataset.

    ``name`` is that of its package in kgbuild, which holds its ``schema.sql``, and that of
    the key of relations.toml with its questions; ``command`` is what users type. The first of
    its ``tables`` holds the questions, and all have the column ``made_from``: the relation or
    the file that a row was made from, as ``builds`` names it.
    """

    name: str
    command: str
    tables: tuple[str, ...]
    made_from: str

    @property
    def package(self) -> str:
        """The package of the dataset's code and schema."""
        return f"kgbuild.datasets.{self.name}"


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset("syn_qa", "syn-qa", ("syn_qa_pairs",), "relation"),
        Dataset("granola", "granola", ("granola_questions", "granola_answers"), "source"),
        Dataset(
            "biokalma",
            "biokalma",
            tuple(
                f"biokalma_{name}"
                for name in ("questions", "knowledge", "pool", "absent", "graphs")
            ),
            "source",
        ),
    )
}
"""What models are asked."""
GROUSE = Dataset("grouse", "grouse", ("grouse_tests",), "source")
"""What judges of answers are put to."""
