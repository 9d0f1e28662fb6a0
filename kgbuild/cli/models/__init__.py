"""Commands that ask models, score and judge."""
