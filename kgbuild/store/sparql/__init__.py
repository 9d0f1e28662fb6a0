"""SPARQL: the queries of `queries/` and of users, their parameters and results, and endpoints."""
