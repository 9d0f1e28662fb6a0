#!/bin/sh
# GRANOLA, figures 5, 7 and 8: accuracy, informativeness and levels of answers by decoding.
# Figure 6: accuracy by the popularity of the subject. Figure 10: by relation.
# SIMILARITY=folder adds table 3: similarity in meaning of right and wrong answers, by a model.
# sh granola.sh MODEL [AGGREGATOR]
set -eu
model=$1
aggregator=${2:-$model}
limit=${LIMIT:-500}

# Greedy decoding, IDK, IDKIfUncertain, IDKWithAgg; then samples for the other rows.
kgbuild ask granola --model "$model" ${ASK_OPTIONS:-} --limit "$limit"
kgbuild ask granola --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol sampled
# DRAG by the graph, DRAG by a model (the paper's), self-consistency.
kgbuild aggregate
kgbuild aggregate --by model --model "$aggregator" ${JUDGE_OPTIONS:-}
kgbuild aggregate --by majority

kgbuild score granola --by popularity
kgbuild score granola --by relation
kgbuild score granola ${SIMILARITY:+--similarity "$SIMILARITY"}
