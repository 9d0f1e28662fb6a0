-- The rows of a build, for the comparison with another build: see kgbuild/tables/versions.py.

WITH sets AS (
    SELECT
        question_id,
        list(
            concat(qid, ', ', property_label, ': ', "value") ORDER BY qid, property, "value"
        ) AS pieces,
        list(
            {
                'scope': concat_ws(' ', source, qid),
                'statement': concat_ws(' ', qid, property, coalesce(value_qid, "value")),
                'forms': [
                    concat_ws(' ', property, coalesce(value_qid, "value")),
                    concat_ws(' ', property, "value")
                ]
            }
            ORDER BY "position"
        ) AS rests_on
    FROM biokalma_knowledge
    GROUP BY question_id
)
SELECT
    source AS relation,
    concat_ws(' ', subjects[1].qid, relation, subjects[2].qid) AS "key",
    question_id AS id,
    [general_question, specific_question] AS questions,
    {'knowledge': pieces} AS contents,
    coalesce(rests_on, []) AS evidence,
    regexp_full_match(source, '(Q\d+/)?' || relation) AS is_stated,
    CASE WHEN is_stated THEN [subjects[1].qid, relation, subjects[2].qid] END AS place,
    CAST(NULL AS VARCHAR) AS replacement,
    CAST(NULL AS VARCHAR) AS replaced
FROM biokalma_questions AS questions
LEFT JOIN sets USING (question_id)
ORDER BY questions.rowid
