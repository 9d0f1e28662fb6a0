#!/bin/sh
# BioKaLMA, tables 3 and 7: citations and their alignment, for specific and general questions.
# Table 5 and figure 4: the same and [NA], with one to three pieces of knowledge removed.
# Figure 5: the same, with 80 to 20 % of the right graphs.
# ENTAILMENT=folder decides alignment by a model of natural language inference, as in the paper.
# sh biokalma-citations.sh MODEL
set -eu
model=$1
limit=${LIMIT:-500}

kgbuild ask biokalma --model "$model" ${ASK_OPTIONS:-} --limit "$limit"
for removed in 1 2 3; do
    kgbuild ask biokalma --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol specific --removed "$removed"
done
for accuracy in 80 60 40 20; do
    kgbuild ask biokalma --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol specific --accuracy "$accuracy"
done

kgbuild score biokalma ${ENTAILMENT:+--entailment "$ENTAILMENT"}
