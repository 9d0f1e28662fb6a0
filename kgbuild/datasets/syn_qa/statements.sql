-- What the store of a build stated, as far as its tables show it: see kgbuild/tables/versions.py.

-- Of who leads to a single bridge, that bridge.
SELECT
    concat_ws(' ', relation, subject_qid) AS scope,
    list(DISTINCT bridge_qid) AS forms
FROM syn_qa_pairs
WHERE source_id IS NULL AND bridge_qid IS NOT NULL
GROUP BY scope
UNION ALL
-- Of a pair from a file, all that joins the two, if both are known.
SELECT
    concat_ws(' ', relation, source_id, subject_qid, bridge_qid) AS scope,
    [concat_ws(' ', said.subject, said.property, said."object") FOR said IN evidence] AS forms
FROM syn_qa_pairs
WHERE source_id IS NOT NULL AND subject_qid IS NOT NULL AND bridge_qid IS NOT NULL
