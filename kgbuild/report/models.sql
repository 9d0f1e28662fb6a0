-- The queries of the report about models, judges and second sources.

-- name: scores
SELECT
    dataset,
    model,
    coalesce(scores.removed, 0) AS removed,
    coalesce(scores.accuracy, 100) AS accuracy,
    concat_ws(' · ', coalesce(nullif(model, ''), 'unnamed'), nullif(protocol, '')) AS asked,
    nullif(source, 'predictions') AS file,
    concat_ws(' · ', asked, file) AS curve,
    concat_ws(
        ' · ',
        asked,
        nullif(scores.removed, 0) || ' removed',
        nullif(scores.accuracy, 100) || ' % right',
        file
    ) AS run,
    judge,
    metric,
    "value",
    low,
    high,
    answers
FROM scores
WHERE grouped_by = ''
ORDER BY dataset, judge, model, protocol, removed, accuracy DESC, source, rowid;

-- name: runs
-- A question without a reply has no row, so those of a run are the ones that any model answered by
-- the same protocol. Tables of earlier versions lack the column finish_reason.
SELECT
    dataset,
    model,
    run AS protocol,
    any_value(asked) AS questions,
    any_value(asked) - count(DISTINCT question) AS "without reply",
    count(*) FILTER (finish_reason IN $cut) AS cut,
    string_agg(DISTINCT regexp_replace(parameters, '[{}"]', '', 'g'), '; ') AS parameters,
    sum(tokens_in)::BIGINT AS "tokens in",
    sum(tokens_out)::BIGINT AS "tokens out",
    round(sum(seconds), 1) AS seconds,
    if(any_value(scored), 'yes', 'no') AS scored
FROM (
    SELECT
        *,
        (dataset, model, protocol) IN (SELECT (dataset, model, protocol) FROM scores) AS scored,
        concat(item_id, false_assumption) AS question,
        nullif(removed, 0) || ' removed' AS pool,
        nullif(accuracy, 100) || ' % right' AS graphs,
        concat_ws(' · ', protocol, pool, graphs) AS run,
        count(DISTINCT question) OVER (PARTITION BY dataset, run) AS asked
    FROM (FROM predictions UNION ALL BY NAME SELECT NULL::VARCHAR AS finish_reason WHERE false)
)
GROUP BY dataset, model, run
ORDER BY ALL;

-- name: verified
SELECT
    dataset,
    source_kind AS "by",
    source,
    role AS assumptions,
    count(*) FILTER (verdict <> 'unverified') AS verified,
    count(*) FILTER (verdict = 'holds') AS holds,
    count(*) FILTER (verdict = 'absent') AS absent,
    count(*) FILTER (verdict = 'unknown') AS unknown,
    count(*) FILTER (verdict = 'unverified') AS unverified,
    max(verified_at)::VARCHAR || ' UTC' AS "last"
FROM verifications
GROUP BY dataset, source_kind, source, role
ORDER BY ALL;

-- name: verified_relations
SELECT
    relation AS "label",
    avg((verdict = 'holds')::INTEGER) AS "value",
    count(*) FILTER (verdict = 'holds') AS holds,
    count(*) AS verified
FROM verifications
WHERE role = 'false' AND verdict IN ('holds', 'absent')
GROUP BY relation
HAVING holds > 0
ORDER BY "value" DESC, length(relation), relation;

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
