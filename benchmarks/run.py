"""Measure kgbuild side by side with the plain way and print tables in Markdown.

Where both ways give an answer, the answers are compared first: speed says nothing of a wrong one.
"""

import argparse
import itertools
import random
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import measure
from benchmarks.measure import Cost, Row, compared, megabytes, tell, timed, times

START, END = "<!-- measured -->", "<!-- end -->"
"""What ``-o`` writes stands between these lines of the file."""
LOADER = measure.tool("oxigraph")
KGBUILD = [tool] if (tool := measure.tool("kgbuild")) else [sys.executable, "-m", "kgbuild"]

_BULK_LOAD = """
import gzip, sys, pyoxigraph as ox
opened = gzip.open if sys.argv[2].endswith(".gz") else open
with opened(sys.argv[2], "rb") as file:
    ox.Store(sys.argv[1]).bulk_load(file, format=ox.RdfFormat.N_TRIPLES)
"""
_QUERY = """
import sys, pyoxigraph as ox
for row in ox.Store.read_only(sys.argv[1]).query(sys.argv[2]):
    print(*row)
"""
_PREFIXES = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
"""
_SCAN = (
    _PREFIXES
    + """SELECT DISTINCT ?item WHERE {
  ?item rdfs:label|skos:altLabel ?name .
  FILTER(LCASE(STR(?name)) = %s)
}"""
)
_EXACT = _PREFIXES + "SELECT DISTINCT ?item WHERE { ?item rdfs:label|skos:altLabel %s }"
_ONE_HOP = (
    _PREFIXES
    + """SELECT ?direction ?property ?value (COALESCE(?en, ?mul, ?other) AS ?label) WHERE {
  { wd:%(qid)s ?property ?value . BIND("out" AS ?direction) }
  UNION
  { ?value ?property wd:%(qid)s . BIND("in" AS ?direction) }
  FILTER(STRSTARTS(STR(?property), STR(wdt:)))
  OPTIONAL { ?value rdfs:label ?en . FILTER(LANG(?en) = "en") }
  OPTIONAL { ?value rdfs:label ?mul . FILTER(LANG(?mul) = "mul") }
  OPTIONAL { ?value rdfs:label ?other . FILTER(LANGMATCHES(LANG(?other), "en")) }
}"""
)
