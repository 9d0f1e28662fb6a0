#!/bin/sh
# Syn-(QA)², figure 4 (left) and table 2: answers to the questions, judged by a model.
# sh syn-qa-generative.sh MODEL [JUDGE]
set -eu
model=$1
judge=${2:-$model}
limit=${LIMIT:-500}

kgbuild ask syn-qa --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol generative

kgbuild score syn-qa --generative --model "$judge" ${JUDGE_OPTIONS:-} --by hops
kgbuild score syn-qa --generative --model "$judge" ${JUDGE_OPTIONS:-}
