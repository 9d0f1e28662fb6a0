"""Read facts about items: similar items, subgraphs, kinds, associations, times."""
