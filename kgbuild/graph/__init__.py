"""Read facts about items: similar items, subgraphs, kinds, classes, associations and times."""
