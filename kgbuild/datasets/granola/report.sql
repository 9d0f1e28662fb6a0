-- The numbers and the charts of GRANOLA in the report. See kgbuild/report/queries.py.

-- name: totals
SELECT
    (SELECT count(*) FROM granola_questions) AS questions,
    (SELECT count(DISTINCT source) FROM granola_questions) AS relations,
    (SELECT count(DISTINCT subject_qid) FROM granola_questions) AS subjects,
    (SELECT count(*) FROM granola_answers) AS answers;

-- name: labels
SELECT subject_qid AS id, subject_label AS "label" FROM granola_questions
UNION ALL
SELECT qid, answer FROM granola_answers WHERE kind IN ('item', 'place');

-- name: splits
-- note: By a hash of the subject: no subject is in two splits.

-- name: left_out
-- title: Why coarser answers were left out

-- name: levels
-- title: How many levels of granularity questions have
-- note: Level 1 is the finest answer; each further one is coarser.
-- chart: histogram
-- labels: levels
-- values: questions
SELECT deepest AS "at", count(*) AS "value"
FROM (SELECT question_id, max("level") AS deepest FROM granola_answers GROUP BY question_id)
GROUP BY deepest
ORDER BY deepest;

-- name: bits
-- title: How much the answers at each level tell
-- note: Points are medians, lines the middle half. One bit more: half as many possible answers are
-- note: left.
-- chart: intervals
-- labels: level, from the finest
-- values: bits
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
-- title: What kinds of answers there are
-- chart: bars
-- labels: kind
-- values: answers
SELECT kind AS "label", count(*) AS "value"
FROM granola_answers
GROUP BY kind
ORDER BY "value" DESC, kind;

-- name: popularity
-- title: How popular the subjects are
-- note: Popularity is how many statements of the store point to an item.
-- chart: histogram
-- labels: statements that point to it, on a logarithmic scale
-- values: rows
-- scale: log
SELECT popularity AS "at", count(*) AS "value"
FROM granola_questions
GROUP BY popularity
ORDER BY popularity;
