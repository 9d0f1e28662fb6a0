-- The queries of the report about models and judges.

-- name: scores
SELECT
    dataset,
    model,
    protocol,
    removed,
    accuracy,
    judge,
    metric,
    "value",
    low,
    high,
    answers,
    source
FROM scores
WHERE grouped_by = ''
ORDER BY dataset, model, protocol, removed, accuracy, judge, source, rowid;

-- name: accepted
-- title: How many rows survived manual review
-- note: Those that all reviewers who decided on them accept, among all that any decided on.
-- chart: estimates
-- labels: dataset
-- values: accepted rows, among those decided on

-- name: passed
-- title: How many tests judges pass
-- note: A test is passed if all six grades are as they are to be.
-- chart: estimates
-- labels: judge
-- values: tests passed
SELECT
    concat(judge, ' · ', source) AS "label",
    avg(passed::INTEGER) AS "value",
    count(*) FILTER (passed) AS passed,
    count(*) AS tests
FROM (
    SELECT judge, source, test_id, bool_and(outcome = 'passed') AS passed
    FROM grouse_results
    WHERE condition IS NOT NULL
    GROUP BY judge, source, test_id
)
GROUP BY judge, source
ORDER BY "value" DESC, "label";

-- name: conditions
SELECT
    judge,
    source,
    metric,
    count(*) FILTER (outcome = 'passed') AS met,
    count(*) AS tests
FROM grouse_results
WHERE condition IS NOT NULL
GROUP BY judge, source, metric
ORDER BY judge, source, min(rowid);
