-- What the report tells of all datasets alike.
-- Each query has a name, in a line of its own; $dataset is the one that it is about.

-- name: held
-- The tables that there are.
SELECT table_name AS "table"
FROM duckdb_tables()
WHERE database_name = current_database()
ORDER BY table_name;

-- name: dumps
SELECT
    one.name AS "file",
    one.modified AS "of",
    one.sha256 AS "sha-256",
    string_agg(DISTINCT dataset, ', ' ORDER BY dataset) AS "used for"
FROM (SELECT dataset, unnest(dump) AS one FROM builds)
GROUP BY ALL
ORDER BY ALL;

-- name: builds
SELECT
    dataset,
    count(*) AS relations,
    sum("rows")::BIGINT AS "rows",
    seed,
    options::VARCHAR AS options,
    kgbuild_version AS kgbuild,
    store_fingerprint AS "store's fingerprint",
    store_triples AS "store's triples",
    max(built_at)::VARCHAR || ' UTC' AS built,
    round(sum(seconds), 1) AS seconds
FROM builds
GROUP BY dataset, seed, options, kgbuild_version, store_fingerprint, store_triples
ORDER BY ALL;

-- name: relations
SELECT relation AS "label", "rows" AS "value", rejected AS "left out"
FROM builds
WHERE dataset = $dataset
ORDER BY "rows" DESC, length(relation), relation;

-- name: left_out
-- Why candidates made no row, and why parts of a row were left out: those reasons are $parts, and
-- of Syn-(QA)² they tell of an item that might have replaced the subject, "for" it in the detail.
SELECT reason, is_part, count(*) AS "value"
FROM (
    SELECT
        reason,
        list_contains($parts, reason) OR (
            dataset = 'syn_qa'
            AND (
                starts_with(detail, 'for Q')
                OR (
                    NOT regexp_full_match(relation, 'P[0-9]+(/P[0-9]+)?')
                    AND reason NOT IN ('malformed', 'cut short')
                    AND contains(detail, ' for ')
                )
            )
        ) AS is_part
    FROM rejections
    WHERE dataset = $dataset
)
GROUP BY reason, is_part
ORDER BY "value" DESC, reason;

-- name: items
-- The labels of items, as far as any table tells them.
SELECT qid, min("label") AS "label"
FROM (
    SELECT unnest([
        {'qid': subject_qid, 'label': subject_label},
        {'qid': bridge_qid, 'label': bridge_label},
        {'qid': replacement_qid, 'label': replacement_label},
        {'qid': object_qid, 'label': object_label}
    ], max_depth := 2)
    FROM syn_qa_pairs
    UNION ALL
    SELECT subject_qid, subject_label FROM granola_questions
    UNION ALL
    SELECT qid, answer FROM granola_answers WHERE kind IN ('item', 'place')
    UNION ALL
    SELECT unnest(subjects, max_depth := 2) FROM biokalma_questions
    UNION ALL
    SELECT value_qid, "value" FROM biokalma_pool
)
WHERE qid IN (SELECT unnest($qids)) AND "label" IS NOT NULL
GROUP BY qid
ORDER BY qid;

-- name: properties
-- The labels of properties.
SELECT property, min(property_label) AS "label"
FROM (
    SELECT property, property_label FROM biokalma_pool
    UNION ALL
    SELECT relation, relation_label FROM syn_qa_pairs WHERE hops = 1
)
GROUP BY property
ORDER BY property;
