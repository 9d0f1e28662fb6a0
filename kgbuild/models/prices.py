"""The prices of a model's tokens, and the cost of requests."""

from typing import NamedTuple

_PER = 1_000_000
"""Number of tokens for which servers name their prices."""


class Prices(NamedTuple):
    """The prices of a million tokens of requests and of replies, in any currency."""

    tokens_in: float
    tokens_out: float

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """Return the cost of numbers of tokens, in the currency of the prices.

        >>> Prices(2.5, 10).cost(1_000_000, 200_000)
        4.5
        """
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / _PER

    @classmethod
    def parse(cls, text: str) -> "Prices":
        """Return the prices in a text such as "2.5,10".

        Raises:
            ValueError: the text is not two numbers from 0.
        """
        tokens_in, tokens_out = map(float, text.split(","))
        if not (0 <= tokens_in < float("inf") and 0 <= tokens_out < float("inf")):
            raise ValueError(text)
        return cls(tokens_in, tokens_out)
