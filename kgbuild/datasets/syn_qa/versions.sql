-- The rows of a build as it is compared with another one: see kgbuild/tables/versions.py.

SELECT
    relation,
    coalesce(source_id, concat_ws(' ', subject_qid, relation, object_qid)) AS "key",
    pair_id AS id,
    [question, false_question] AS questions,
    {
        'replacement': concat_ws(' ', replacement_label, '(' || replacement_qid || ')'),
        'falsity': falsity
    } AS contents,
    -- Over one hop the statement is the key. Whichever way round it is stated, the first hop is
    -- one as long as it leads to the same bridge.
    CASE
        WHEN source_id IS NOT NULL THEN
            [
                {
                    'scope': concat_ws(' ', relation, source_id, subject_qid, bridge_qid),
                    'statement': concat_ws(' ', said.subject, said.property, said."object"),
                    'forms': [concat_ws(' ', said.subject, said.property, said."object")]
                }
                FOR said IN evidence
            ]
        WHEN bridge_qid IS NULL THEN []
        ELSE [{
            'scope': concat_ws(' ', relation, subject_qid),
            'statement': concat_ws(
                ' ', evidence[1].subject, evidence[1].property, evidence[1]."object"
            ),
            'forms': [bridge_qid]
        }]
    END AS evidence,
    source_id IS NULL AS is_stated,
    CASE
        WHEN source_id IS NULL THEN [relation, subject_qid, object_qid]
        ELSE [relation, source_id]
    END AS place,
    CASE
        WHEN source_id IS NOT NULL THEN NULL
        WHEN is_object THEN concat_ws(' ', subject_qid, relation, replacement_qid)
        ELSE concat_ws(' ', replacement_qid, relation, object_qid)
    END AS replacement,
    if(is_object, object_qid, subject_qid) AS replaced,
    if(is_object, 'object', 'subject') AS series
FROM (
    -- A database of an older version lacks the column: the subject is what is replaced.
    SELECT
        *,
        rowid AS place_of_row,
        coalesce(to_json(syn_qa_pairs) ->> 'perturbed' = 'object', false) AS is_object
    FROM syn_qa_pairs
)
ORDER BY place_of_row
