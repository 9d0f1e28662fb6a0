-- What the report tells of BioKaLMA.

-- name: totals
SELECT
    (SELECT count(*) FROM biokalma_questions) AS questions,
    (SELECT count(DISTINCT source) FROM biokalma_questions) AS relations,
    (SELECT count(DISTINCT one.qid) FROM (SELECT unnest(subjects) AS one FROM biokalma_questions))
        AS subjects,
    (SELECT count(*) FROM biokalma_knowledge) AS "pieces of knowledge";

-- name: pieces
SELECT pieces::VARCHAR AS "label", count(*) AS "value"
FROM (SELECT question_id, count(*) AS pieces FROM biokalma_knowledge GROUP BY question_id)
GROUP BY pieces
ORDER BY pieces;

-- name: pool
SELECT format('{}–{}', place * 20, place * 20 + 19) AS "label", count(*) AS "value"
FROM (
    SELECT question_id, (count(*) // 20)::BIGINT AS place FROM biokalma_pool GROUP BY question_id
)
GROUP BY place
ORDER BY place;

-- name: rounds
SELECT
    round::VARCHAR AS "label",
    quantile_cont(specificity, 0.5) AS "value",
    quantile_cont(specificity, 0.25) AS low,
    quantile_cont(specificity, 0.75) AS high,
    count(*) AS pieces
FROM biokalma_knowledge
GROUP BY round
ORDER BY round;

-- name: properties
SELECT property_label AS "label", count(*) AS "value"
FROM biokalma_knowledge
GROUP BY property, property_label
ORDER BY "value" DESC, length(property), property;

-- name: absent
SELECT removed::VARCHAR AS "label", count(DISTINCT question_id) AS "value"
FROM biokalma_absent
GROUP BY removed
ORDER BY removed;

-- name: popularity
SELECT popularity, count(*) AS "value"
FROM biokalma_questions
GROUP BY popularity
ORDER BY popularity;

-- name: splits
SELECT split AS "label", count(*) AS "value"
FROM biokalma_questions
GROUP BY split
ORDER BY list_position(['train', 'validation', 'test'], split);

-- name: samples
WITH chosen AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY source ORDER BY md5(concat($seed, question_id)), question_id
        ) AS turn
    FROM biokalma_questions
    ORDER BY turn, md5(concat($seed, question_id)), question_id
    LIMIT $samples
)
SELECT
    c.* EXCLUDE (turn),
    (
        SELECT
            list(
                {
                    'position': k."position",
                    'round': k.round,
                    'qid': k.qid,
                    'property': k.property,
                    'property_label': k.property_label,
                    'value': k."value",
                    'value_qid': k.value_qid,
                    'specificity': k.specificity
                }
                ORDER BY k."position"
            )
        FROM biokalma_knowledge AS k
        WHERE k.question_id = c.question_id
    ) AS knowledge
FROM chosen AS c
ORDER BY turn, md5(concat($seed, question_id)), question_id;
