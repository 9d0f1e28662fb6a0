"""A loaded store on the disk: Oxigraph, labels, postings and the queries that define them."""
