"""Judge replies as people do: by the items and the dates that they name."""

from collections.abc import Iterable

from kgbuild.datasets.granola.date_matches import match_date
from kgbuild.datasets.granola.gazetteer import Gazetteer
from kgbuild.datasets.granola.item_matches import match_item
from kgbuild.datasets.granola.metrics import Outcome
from kgbuild.datasets.granola.reply_words import plain_reply
from kgbuild.datasets.granola.truths import Match, Truth
from kgbuild.evaluate.answers import final
from kgbuild.evaluate.text_metrics import abstains


class Matcher:
    """Judges replies to questions, whose other answers it knows by ``truths``."""

    def __init__(self, truths: Iterable[Truth]):
        self._gazetteer = Gazetteer(truths)

    def judge(self, reply: str, truth: Truth) -> Outcome:
        """Return the level that a reply matches, and why; one that abstains matches none."""
        if abstains(reply):
            return Outcome(None, abstained=True, reason="abstained")
        text = plain_reply(final(reply))
        match = self._match(text, truth) if text else Match(None, reason="empty")
        return Outcome(match.level, matched=match.text, reason=match.reason)

    def _match(self, text: str, truth: Truth) -> Match:
        if truth.is_date:
            return match_date(text, truth)
        return match_item(text, truth, self._gazetteer)
