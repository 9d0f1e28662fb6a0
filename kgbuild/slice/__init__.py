"""Cut slices, the parts of a dump that datasets need: locally, on Spark, or from servers."""
