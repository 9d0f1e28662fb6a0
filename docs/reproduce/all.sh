#!/bin/sh
# All tables of the five papers, with one model and one judge.
# sh all.sh MODEL [JUDGE]
set -eu
folder=$(dirname "$0")
model=$1
judge=${2:-$model}
export LIMIT="${LIMIT:-500}"

sh "$folder/granola.sh" "$model" "$judge"
sh "$folder/granola-confidence.sh" "$model"
sh "$folder/syn-qa-detection.sh" "$model"
sh "$folder/syn-qa-generative.sh" "$model" "$judge"
sh "$folder/biokalma-citations.sh" "$model"
sh "$folder/biokalma-quality.sh" "$model" "$judge"
sh "$folder/instruct-qa.sh" "$model" "$judge"
sh "$folder/grouse.sh" "$judge"
