-- What two builds of questions with knowledge sets are compared by: see kgbuild/differences.py.

WITH sets AS (
    SELECT
        question_id,
        list(
            concat(qid, ', ', property_label, ': ', "value") ORDER BY qid, property, "value"
        ) AS pieces
    FROM biokalma_knowledge
    GROUP BY question_id
)
SELECT
    source AS relation,
    concat_ws(' ', subjects[1].qid, relation, subjects[2].qid) AS "key",
    question_id AS id,
    specific_question AS question,
    {'knowledge': pieces} AS told,
    regexp_full_match(source, '(Q\d+/)?' || relation) AS is_stated,
    CASE WHEN is_stated THEN [subjects[1].qid, relation, subjects[2].qid] END AS place,
    CAST(NULL AS VARCHAR) AS stand_in,
    CAST(NULL AS VARCHAR) AS stands_for
FROM biokalma_questions AS asked
LEFT JOIN sets USING (question_id)
ORDER BY asked.rowid
