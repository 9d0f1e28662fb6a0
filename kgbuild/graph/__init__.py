"""What builders ask of an opened store: similarity, hierarchy, associations, subgraphs."""
