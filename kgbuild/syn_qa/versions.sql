-- What two builds of minimal pairs are compared by: see kgbuild/differences.py.

SELECT
    relation,
    coalesce(source_id, concat_ws(' ', subject_qid, relation, object_qid)) AS "key",
    pair_id AS id,
    false_question AS question,
    {
        'replacement': concat_ws(' ', replacement_label, '(' || replacement_qid || ')'),
        'falsity': falsity
    } AS told,
    source_id IS NULL AS is_stated,
    CASE
        WHEN source_id IS NULL THEN [relation, subject_qid, object_qid]
        ELSE [relation, source_id]
    END AS place,
    CASE
        WHEN source_id IS NULL THEN concat_ws(' ', replacement_qid, relation, object_qid)
    END AS stand_in,
    subject_qid AS stands_for
FROM syn_qa_pairs
ORDER BY rowid
