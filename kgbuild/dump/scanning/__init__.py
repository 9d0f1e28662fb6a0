"""Read and judge the lines of a block, in compiled code."""
