-- The numbers and the charts of Syn-(QA)² in the report. See kgbuild/report/queries.py.

-- name: totals
SELECT
    count(*) AS pairs,
    count(DISTINCT relation) AS relations,
    count(DISTINCT subject_qid) AS subjects,
    count(DISTINCT replacement_qid) AS replacements
FROM syn_qa_pairs;

-- name: labels
SELECT
    unnest([
        {'id': subject_qid, 'label': subject_label},
        {'id': bridge_qid, 'label': bridge_label},
        {'id': replacement_qid, 'label': replacement_label},
        {'id': object_qid, 'label': object_label},
        {'id': if(hops = 1, relation, NULL), 'label': relation_label}
    ], max_depth := 2)
FROM syn_qa_pairs;

-- name: splits
-- note: By a hash of the subject of the true question: no subject is in two splits.

-- name: left_out
-- title: Why similar items might not stand in for either end
-- Of a relation, a reason may be one of a statement or one of similar items: the detail tells.
SELECT reason AS "label", is_part, count(*) AS "value"
FROM (
    SELECT
        reason,
        reason <> 'verified true' AND if(
            regexp_full_match(relation, 'P[0-9]+(/P[0-9]+)?'),
            starts_with(detail, 'for Q') OR ends_with(detail, ' similar items'),
            list_contains($parts, reason)
        ) AS is_part
    FROM rejections
    WHERE dataset = 'syn_qa'
)
GROUP BY reason, is_part
ORDER BY "value" DESC, reason;

-- name: overlap
-- title: How many values a replacement shares with what it replaces
-- note: The more they share, the less the question itself gives the false assumption away.
-- chart: histogram
-- labels: shared property values
-- values: pairs
SELECT overlap AS "at", count(*) AS "value"
FROM syn_qa_pairs
GROUP BY overlap
ORDER BY overlap;

-- name: falsity
-- title: How sure it is that the assumption is false, and over how many hops
-- note: In falling order of certainty. impossible: dates rule it out; contradicted: the store has
-- note: the one value that there can be; closed: it has another value, and nearly all items have
-- note: only one; absent: nothing but that the statement is not there.
-- chart: bars
-- labels: falsity
-- values: pairs
SELECT falsity AS "label", if(hops = 1, 'one hop', 'two hops') AS part, count(*) AS "value"
FROM syn_qa_pairs
GROUP BY falsity, hops
ORDER BY
    list_position(['impossible', 'contradicted', 'closed', 'absent'], falsity), hops;

-- name: risk
-- title: How probable it is that the assumption is true all the same
-- note: The estimated risk of pairs whose assumption the store does not hold.
-- chart: histogram
-- labels: risk, in percent
-- values: pairs
-- Pairs of HotpotQA have no risk, and are left out.
SELECT round(risk * 100, 4) AS "at", falsity AS part, count(*) AS "value"
FROM syn_qa_pairs
WHERE risk IS NOT NULL
GROUP BY "at", falsity
ORDER BY "at", list_position(['impossible', 'contradicted', 'closed', 'absent'], falsity);

-- name: popularity
-- title: How popular what is replaced and replacements are
-- note: Popularity is how many statements of the store point to an item.
-- chart: histogram
-- labels: statements that point to it, on a logarithmic scale
-- values: rows
-- scale: log
SELECT popularity AS "at", part, count(*) AS "value"
FROM (
    SELECT popularity, 'replaced' AS part FROM syn_qa_pairs
    UNION ALL
    SELECT replacement_popularity, 'replacement' FROM syn_qa_pairs
)
GROUP BY ALL
ORDER BY popularity, part;
