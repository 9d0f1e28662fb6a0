#!/bin/sh
# @purpose@
# What else was read, such as a file of questions, is to be in the folder of the dumps too.
set -eu
fail() { echo "$2" >&2; exit "$1"; }
[ $# -eq 2 ] || fail 2 "Usage: sh rebuild.sh FOLDER-OF-THE-DUMPS NEW-FOLDER"
command -v kgbuild > /dev/null \
  || fail 1 "No kgbuild on the PATH. Install version @version@, or activate its environment."
[ ! -e "$2" ] || { [ -d "$2" ] && [ -z "$(ls -A "$2")" ]; } \
  || fail 2 "$2 is not empty. Name a new folder, or remove it first."
dumps=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same() {
  [ "$(sha256sum < "$1" | cut -c1-64)" = "$2" ] || fail 1 "Not the same: $1"
}
@steps@
kgbuild export @dataset@ @options@ --db "$work/datasets.duckdb" -o "$2"
@compare@
