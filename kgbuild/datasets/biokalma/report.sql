-- The numbers and the charts of BioKaLMA in the report. See kgbuild/report/queries.py.

-- name: totals
SELECT
    (SELECT count(*) FROM biokalma_questions) AS questions,
    (SELECT count(DISTINCT source) FROM biokalma_questions) AS relations,
    (SELECT count(DISTINCT one.qid) FROM (SELECT unnest(subjects) AS one FROM biokalma_questions))
        AS subjects,
    (SELECT count(*) FROM biokalma_knowledge WHERE scope = 'specific') AS "pieces of knowledge";

-- name: labels
SELECT subject.qid AS id, subject.label AS "label"
FROM (SELECT unnest(subjects) AS subject FROM biokalma_questions)
UNION ALL
SELECT value_qid, "value" FROM biokalma_pool
UNION ALL
SELECT property, property_label FROM biokalma_pool;

-- name: splits
-- note: By the subjects: no subject is in two splits, and no question connects two of them.

-- name: left_out
-- title: Why pieces of knowledge were left out

-- name: pieces
-- title: How many pieces of knowledge a specific question needs
-- note: The size of the minimum knowledge set.
-- chart: histogram
-- labels: pieces of knowledge
-- values: questions
SELECT pieces AS "at", count(*) AS "value"
FROM (
    SELECT question_id, count(*) AS pieces
    FROM biokalma_knowledge
    WHERE scope = 'specific'
    GROUP BY question_id
)
GROUP BY pieces
ORDER BY pieces;

-- name: rounds
-- title: How specific the piece of each round is
-- note: log(2N/count) of its property among the items of the class: points are medians, lines the
-- note: middle half. Round 0 is what joins the two subjects.
-- chart: intervals
-- labels: round
-- values: specificity
SELECT
    round::VARCHAR AS "label",
    quantile_cont(specificity, 0.5) AS "value",
    quantile_cont(specificity, 0.25) AS low,
    quantile_cont(specificity, 0.75) AS high,
    count(*) AS pieces
FROM biokalma_knowledge
WHERE scope = 'specific'
GROUP BY round
ORDER BY round;

-- name: properties
-- title: Which properties the pieces are of
-- chart: bars
-- labels: property
-- values: pieces of knowledge
SELECT property_label AS "label", count(*) AS "value"
FROM biokalma_knowledge
WHERE scope = 'specific'
GROUP BY property, property_label
ORDER BY "value" DESC, length(property), property;

-- name: themes
-- title: What the questions are about
-- chart: bars
-- labels: theme
-- values: questions
SELECT theme AS "label", count(*) AS "value"
FROM (SELECT unnest(themes) AS theme FROM biokalma_questions)
GROUP BY theme
ORDER BY "value" DESC, theme;

-- name: pool
-- title: How much there is to choose from
-- note: Statements in the pool of a question, which a model is given to cite.
-- chart: histogram
-- labels: statements in the pool
-- values: questions
SELECT statements AS "at", count(*) AS "value"
FROM (SELECT question_id, count(*) AS statements FROM biokalma_pool GROUP BY question_id)
GROUP BY statements
ORDER BY statements;

-- name: absent
-- title: Questions with knowledge taken away
-- note: In each round of conscious incompetence one more piece is absent from the pool.
-- chart: bars
-- labels: round
-- values: questions
SELECT removed::VARCHAR AS "label", count(DISTINCT question_id) AS "value"
FROM biokalma_absent
GROUP BY removed
ORDER BY removed;

-- name: popularity
-- title: How popular the two subjects are together
-- note: Popularity is how many statements of the store point to an item.
-- chart: histogram
-- labels: statements that point to it, on a logarithmic scale
-- values: rows
-- scale: log
SELECT popularity AS "at", count(*) AS "value"
FROM biokalma_questions
GROUP BY popularity
ORDER BY popularity;
