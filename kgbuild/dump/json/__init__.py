"""Convert entities of Wikidata's JSON dump to N-Triples."""
