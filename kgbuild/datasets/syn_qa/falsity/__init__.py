"""Whether an assumption is false: facts of a store, evidence, and the risk that it is true."""
