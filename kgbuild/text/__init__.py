"""Read English texts: replies and their sentences, names, and the items that bear these names.

A name is a sequence of words that is the label or an alias of an item. This package knows no
dataset: what reads a question reads a passage or a reply, too.
"""
