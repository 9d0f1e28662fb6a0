#!/bin/sh
# BioKaLMA, table 4: quality of the texts, graded by a model, five times for each metric.
# sh biokalma-quality.sh MODEL [JUDGE]
set -eu
model=$1
judge=${2:-$model}
graded=${QUALITY_LIMIT:-100}
limit=${LIMIT:-$graded}
answers=$(mktemp -d)/answers.json

kgbuild ask biokalma --model "$model" ${ASK_OPTIONS:-} --limit "$limit"

# The answers from complete pools only, and not more than QUALITY_LIMIT.
kgbuild sql --json "
    SELECT item_id AS question_id, text AS answer, model, protocol, finish_reason
    FROM predictions
    WHERE dataset = 'biokalma' AND protocol IN ('specific', 'general')
        AND removed = 0 AND accuracy = 100
    QUALIFY row_number() OVER (PARTITION BY model, protocol ORDER BY hash(item_id)) <= $graded
" > "$answers"
kgbuild score biokalma "$answers" --quality --model "$judge" ${JUDGE_OPTIONS:-}
