-- What the report tells of Syn-(QA)².

-- name: totals
SELECT
    count(*) AS pairs,
    count(DISTINCT relation) AS relations,
    count(DISTINCT subject_qid) AS subjects,
    count(DISTINCT replacement_qid) AS replacements
FROM syn_qa_pairs;

-- name: overlap
SELECT
    CASE
        WHEN overlap < 10 THEN overlap::VARCHAR
        WHEN overlap < 15 THEN '10–14'
        WHEN overlap < 20 THEN '15–19'
        WHEN overlap < 30 THEN '20–29'
        ELSE '30 +'
    END AS "label",
    count(*) AS "value"
FROM syn_qa_pairs
GROUP BY 1
ORDER BY min(overlap);

-- name: falsity
SELECT falsity AS "label", if(hops = 1, 'one hop', 'two hops') AS part, count(*) AS "value"
FROM syn_qa_pairs
GROUP BY falsity, hops
ORDER BY
    list_position(['impossible', 'contradicted', 'closed', 'absent'], falsity), hops;

-- name: risk
-- Pairs whose risk is not known, as it is of HotpotQA's, are left out.
SELECT
    format('{:.2f}–{:.2f}', place / 4, (place + 1) / 4) AS "label",
    falsity AS part,
    count(*) AS "value"
FROM (SELECT floor(risk * 400) AS place, falsity FROM syn_qa_pairs WHERE risk IS NOT NULL)
GROUP BY place, falsity
ORDER BY place, list_position(['impossible', 'contradicted', 'closed', 'absent'], falsity);

-- name: popularity
SELECT popularity, part, count(*) AS "value"
FROM (
    SELECT popularity, 'subject' AS part FROM syn_qa_pairs
    UNION ALL
    SELECT replacement_popularity, 'replacement' FROM syn_qa_pairs
)
GROUP BY ALL
ORDER BY popularity, part DESC;

-- name: splits
SELECT split AS "label", count(*) AS "value"
FROM syn_qa_pairs
GROUP BY split
ORDER BY list_position(['train', 'validation', 'test'], split);

-- name: samples
-- Of as many relations as there are; which rows, the seed tells.
SELECT * EXCLUDE (turn)
FROM (
    SELECT
        *,
        row_number() OVER (PARTITION BY relation ORDER BY md5(concat($seed, pair_id)), pair_id) AS turn
    FROM syn_qa_pairs
)
ORDER BY turn, md5(concat($seed, pair_id)), pair_id
LIMIT $samples;
