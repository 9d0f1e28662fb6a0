"""Statistics and text metrics that name no dataset."""
