-- The queries of the report that are alike for all datasets; those of a dataset with the same name
-- take their place. $dataset is its name, $table its first table, with the columns $key and $source.

-- name: tables
SELECT table_name AS "table"
FROM duckdb_tables()
WHERE database_name = current_database()
ORDER BY table_name;

-- name: columns
SELECT column_name AS "column" FROM (DESCRIBE FROM query_table($table));

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

-- name: totals
SELECT count(*) AS "rows", count(DISTINCT source) AS sources
FROM (SELECT COLUMNS(lambda c: c = $source) AS source FROM query_table($table));

-- name: relations
-- title: How many {unit} each relation or file gave
-- chart: bars
-- labels: relation
-- values: {unit}
SELECT relation AS "label", "rows" AS "value", rejected AS "candidates and parts left out"
FROM builds
WHERE dataset = $dataset
ORDER BY "rows" DESC, length(relation), relation;

-- name: splits
-- title: How rows are split
-- chart: bars
-- labels: split
-- values: rows
SELECT split AS "label", count(*) AS "value"
FROM query_table($table)
GROUP BY split
ORDER BY list_position(['train', 'dev', 'test'], split);

-- name: left_out
-- title: Why parts of rows were left out
-- note: The table says what each means.
-- chart: bars
-- labels: reason
-- values: times
-- Why candidates made no row, and why parts of a row were left out: $parts are those reasons.
SELECT reason AS "label", list_contains($parts, reason) AS is_part, count(*) AS "value"
FROM rejections
WHERE dataset = $dataset
GROUP BY reason
ORDER BY "value" DESC, reason;

-- name: samples
-- Rows of as many relations as there are, chosen by the seed.
SELECT id
FROM (
    SELECT id, row_number() OVER (PARTITION BY source ORDER BY md5(concat($seed, id)), id) AS turn
    FROM (
        SELECT COLUMNS(lambda c: c = $key) AS id, COLUMNS(lambda c: c = $source) AS source
        FROM query_table($table)
    )
)
ORDER BY turn, md5(concat($seed, id)), id
LIMIT $samples;
