"""Find the items that a question is about; their subgraphs are the retrieved knowledge.

A name is a sequence of words that is the label or an alias of an item. An entity is a name that is
written like one; it can be what the question is about. A neighbour of an item is an item that a
statement connects with it.
"""
