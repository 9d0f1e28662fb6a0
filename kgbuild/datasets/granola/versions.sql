-- The rows of a build as it is compared with another one: see kgbuild/tables/versions.py.

-- The finest answers that the store states; those that only a file gives rest on nothing.
WITH stated AS (
    SELECT
        question_id,
        list(
            {
                'scope': concat_ws(
                    ' ',
                    asked.source,
                    CASE WHEN resolution <> 'stated' THEN question END,
                    subject_qid,
                    asked.relation
                ),
                'statement': concat_ws(' ', said.subject, said.property, said."object"),
                'forms': [
                    CASE WHEN said.subject = subject_qid THEN said."object" ELSE said.subject END,
                    answer
                ]
            }
            ORDER BY answers.rowid
        ) AS rests_on
    FROM (SELECT rowid, question_id, "level", answer, evidence[1] AS said FROM granola_answers)
        AS answers
    JOIN granola_questions AS asked USING (question_id)
    WHERE "level" = 1 AND list_contains(asked.evidence, said)
    GROUP BY question_id
)
SELECT
    asked.source AS relation,
    CASE
        WHEN resolution = 'stated' THEN subject_qid || ' ' || asked.source
        ELSE asked.question
    END AS "key",
    question_id AS id,
    [asked.question] AS questions,
    {'answers': levels} AS contents,
    coalesce(rests_on, []) AS evidence,
    resolution = 'stated' AS is_stated,
    CASE WHEN resolution = 'stated' THEN [asked.source, subject_qid] END AS place,
    CAST(NULL AS VARCHAR) AS replacement,
    CAST(NULL AS VARCHAR) AS replaced
FROM granola_questions AS asked
LEFT JOIN granola_levels USING (question_id)
LEFT JOIN stated USING (question_id)
ORDER BY asked.rowid
