#!/bin/sh
# Syn-(QA)², figure 3 and table 1: detection of false assumptions, by protocol and hops.
# EVIDENCE=results.jsonl adds the row of FreshPrompt, by your own search results.
# sh syn-qa-detection.sh MODEL
set -eu
model=$1
limit=${LIMIT:-500}

kgbuild ask syn-qa --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol zero-shot,four-shot,chain-of-thought
if [ -n "${EVIDENCE:-}" ]; then
    kgbuild ask syn-qa --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol with-search --evidence "$EVIDENCE"
fi

kgbuild score syn-qa --by hops
kgbuild score syn-qa
