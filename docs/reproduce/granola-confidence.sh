#!/bin/sh
# GRANOLA, figures 5 and 7, with abstention by confidence: the least confident answers become IDK.
# Confidence is the mean probability of the tokens of a greedy answer (rows "vanilla+logprobs"), or
# the share of samples that say the commonest answer (rows "sampled+agreement"). The rows of greedy
# decoding, IDK and IDKIfUncertain stand beside them. "80 %" answers 80 % of the questions.
# If ASK_OPTIONS has an --extra-body, add "logprobs":true to it.
# sh granola-confidence.sh MODEL
set -eu
model=$1
limit=${LIMIT:-500}
answers=$(mktemp -d)/answers.json

kgbuild ask granola --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol idk,idk-if-uncertain
kgbuild ask granola --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol sampled
case $model in
    hf:*) set -- ;; # a model on this machine always has probabilities
    *) set -- --extra-body '{"logprobs": true}' ;;
esac
kgbuild ask granola "$@" --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol vanilla

kgbuild sql --json "
    WITH answers AS (
        SELECT model, protocol, item_id, text, finish_reason, confidence FROM predictions
        WHERE dataset = 'granola' AND sample = 0
            AND protocol IN ('vanilla', 'idk', 'idk-if-uncertain')
    ),
    said AS (
        SELECT model, item_id, text, count(*) OVER same / count(*) OVER question AS share
        FROM predictions WHERE dataset = 'granola' AND protocol = 'sampled'
        WINDOW question AS (PARTITION BY model, item_id),
            same AS (PARTITION BY model, item_id, lower(trim(text, ' .')))
    ),
    ranked AS (
        SELECT model, 'vanilla+logprobs' AS protocol, item_id, text, confidence FROM answers
        WHERE protocol = 'vanilla' AND confidence IS NOT NULL
        UNION ALL
        SELECT model, 'sampled+agreement', item_id, arg_max(text, (share, text)), max(share)
        FROM said GROUP BY model, item_id
    ),
    placed AS (
        SELECT *, row_number() OVER (
            PARTITION BY model, protocol ORDER BY confidence DESC, hash(item_id)
        ) / count(*) OVER (PARTITION BY model, protocol) AS place
        FROM ranked
    )
    SELECT model, protocol, item_id AS question_id, text AS answer, finish_reason FROM answers
    UNION ALL
    SELECT model, format('{} {} %', protocol, rate), item_id,
        if(place <= rate / 100, text, 'IDK'), 'stop'
    FROM placed, unnest([100, 90, 80, 70, 60, 50]) AS rates (rate)
    ORDER BY model, protocol, question_id
" > "$answers"
if ! grep -q 'vanilla+logprobs' "$answers"; then
    echo "The server reports no probabilities of tokens, so there are no rows of vanilla+logprobs." >&2
fi
kgbuild score granola "$answers"
