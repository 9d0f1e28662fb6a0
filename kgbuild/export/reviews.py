"""What reviewers accepted of a dataset, for a release of these rows only."""

from typing import TYPE_CHECKING

from kgbuild.datasets.base import AnyDataset
from kgbuild.errors import NotReviewedError
from kgbuild.export.release import Reviewed
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection, is_reviewed

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


def read_reviews(dataset: AnyDataset, db: "Database") -> Reviewed:
    """Return the rows of a dataset that reviewers accepted, with their wordings.

    Raises:
        NotReviewedError: the dataset has nothing to review.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    if not is_reviewed(dataset):
        raise NotReviewedError(dataset.command)
    selection = Selection(dataset)
    with db.reading() as select:
        accepted, decided = verdicts.survivors(select, selection)
        reviewers = verdicts.deciders(select, selection)
        texts = verdicts.wordings(select, selection.name)
    return Reviewed(accepted, len(decided), len(reviewers), texts)
