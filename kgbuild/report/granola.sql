-- What the report tells of GRANOLA.

-- name: totals
SELECT
    (SELECT count(*) FROM granola_questions) AS questions,
    (SELECT count(DISTINCT source) FROM granola_questions) AS relations,
    (SELECT count(DISTINCT subject_qid) FROM granola_questions) AS subjects,
    (SELECT count(*) FROM granola_answers) AS answers;

-- name: levels
SELECT if(deepest < 10, deepest::VARCHAR, '10 +') AS "label", count(*) AS "value"
FROM (SELECT question_id, max("level") AS deepest FROM granola_answers GROUP BY question_id)
GROUP BY 1
ORDER BY min(deepest);

-- name: bits
SELECT
    "level"::VARCHAR AS "label",
    quantile_cont(bits, 0.5) AS "value",
    quantile_cont(bits, 0.25) AS low,
    quantile_cont(bits, 0.75) AS high,
    count(*) AS answers
FROM granola_answers
WHERE "level" <= 10
GROUP BY "level"
ORDER BY "level";

-- name: kinds
SELECT kind AS "label", count(*) AS "value"
FROM granola_answers
GROUP BY kind
ORDER BY "value" DESC, kind;

-- name: popularity
SELECT popularity, count(*) AS "value"
FROM granola_questions
GROUP BY popularity
ORDER BY popularity;

-- name: splits
SELECT split AS "label", count(*) AS "value"
FROM granola_questions
GROUP BY split
ORDER BY list_position(['train', 'validation', 'test'], split);

-- name: samples
-- Asked twice which rows are chosen, DuckDB reads only their answers, and not those of all.
WITH chosen AS MATERIALIZED (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY source ORDER BY md5(concat($seed, question_id)), question_id
        ) AS turn
    FROM granola_questions
    QUALIFY turn <= $samples
    ORDER BY turn, md5(concat($seed, question_id)), question_id
    LIMIT $samples
)
SELECT
    c.* EXCLUDE (turn, evidence),
    (
        SELECT
            list(
                {
                    'level': a."level",
                    'answer': a.answer,
                    'kind': a.kind,
                    'bits': a.bits,
                    'evidence': a.evidence
                }
                ORDER BY a."level", a.answer
            )
        FROM granola_answers AS a
        WHERE
            a.question_id = c.question_id
            AND a.question_id IN (SELECT question_id FROM chosen)
    ) AS levels
FROM chosen AS c
ORDER BY turn, md5(concat($seed, question_id)), question_id;
