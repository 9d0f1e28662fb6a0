#!/bin/sh
# Instruct-QA: correctness of answers, faithfulness to the knowledge in the prompt, and refusals
# where the knowledge is irrelevant, on the questions of GRANOLA and BioKaLMA.
# METRICS="--libraries --bem folder" adds metrics of libraries and of models on this machine.
# sh instruct-qa.sh MODEL [JUDGE]
set -eu
model=$1
judge=${2:-$model}
limit=${LIMIT:-500}
metrics=${METRICS:-}
folder=$(mktemp -d)

kgbuild ask granola --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol vanilla
kgbuild ask biokalma --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol general
kgbuild ask biokalma --model "$model" ${ASK_OPTIONS:-} --limit "$limit" --protocol general --knowledge irrelevant

# Correctness: the finest answers and their other names are the references.
kgbuild sql --json "
    SELECT any_value(question) AS question, any_value(text) AS prediction, model,
        flatten(list(list_prepend(answer, aliases))) AS \"references\"
    FROM predictions
    JOIN granola_questions ON question_id = item_id
    JOIN granola_answers USING (question_id)
    WHERE dataset = 'granola' AND protocol = 'vanilla' AND level = 1
    GROUP BY model, question_id
    ORDER BY model, question_id
" > "$folder/correctness.json"
kgbuild score instruct-qa "$folder/correctness.json" --model "$judge" ${JUDGE_OPTIONS:-} $metrics

# Faithfulness: the pool is the knowledge; citations are no words of the answer.
kgbuild sql --json "
    SELECT any_value(general_question) AS question, model,
        any_value(regexp_replace(text, '\[[^\]]*\]', '', 'g')) AS prediction,
        list(property_label || ': ' || \"value\" ORDER BY qid, property_label) AS knowledge
    FROM predictions
    JOIN biokalma_questions ON question_id = item_id
    JOIN biokalma_pool USING (question_id)
    WHERE dataset = 'biokalma' AND protocol = 'general' AND removed = 0 AND accuracy = 100
    GROUP BY model, question_id
    ORDER BY model, question_id
" > "$folder/faithfulness.json"
kgbuild score instruct-qa "$folder/faithfulness.json" --model "$judge" ${JUDGE_OPTIONS:-} $metrics

# Refusals, of answers to the right and to irrelevant knowledge.
kgbuild score biokalma > "$folder/scores.txt"
kgbuild sql "
    SELECT model, protocol, round(value, 3) AS refused, round(low, 3) AS low, round(high, 3) AS high, answers
    FROM scores
    WHERE dataset = 'biokalma' AND metric = 'refused' AND protocol IN ('general', 'general-irrelevant')
        AND removed = 0 AND accuracy = 100 AND grouped_by = '' AND judge = ''
    ORDER BY model, protocol
"
