"""Questions about items in a store: names, similar items, subgraphs, kinds, lifetimes."""
