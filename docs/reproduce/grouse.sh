#!/bin/sh
# GroUSE, the table of pass rates: how many tests a judge passes, by metric and by type.
# TESTS=tests.jsonl takes GroUSE's own tests in place of those of the database.
# sh grouse.sh JUDGE
set -eu
judge=$1

kgbuild judge --meta ${TESTS:+"$TESTS"} --model "$judge" ${JUDGE_OPTIONS:-} -o grouse.html
