"""The registry of datasets: a new one is a line here and a folder of its own."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Dataset:
    """A dataset: its package, which holds its ``schema.sql``, and its tables.

    The first table holds the questions; each one has the column that a build replaces by.
    """

    name: str
    command: str
    title: str
    tables: tuple[str, ...]

    @property
    def package(self) -> str:
        """The package of the dataset's code and schema."""
        return f"kgbuild.{self.name}"


DATASETS = {
    "syn_qa": Dataset(
        "syn_qa", "syn-qa", "Syn-(QA)²: minimal pairs with false assumptions", ("syn_qa_pairs",)
    ),
}
