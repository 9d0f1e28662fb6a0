-- The rows of a build, for the comparison with another build: see kgbuild/tables/versions.py.

-- The finest answers that the store states; answers that only a file has need no statement.
WITH statements AS (
    SELECT
        question_id,
        list(
            {
                'scope': concat_ws(
                    ' ',
                    questions.source,
                    CASE WHEN resolution <> 'stated' THEN question END,
                    subject_qid,
                    questions.relation
                ),
                'statement': concat_ws(' ', triple.subject, triple.property, triple."object"),
                'forms': [
                    CASE WHEN triple.subject = subject_qid THEN triple."object" ELSE triple.subject END,
                    answer
                ]
            }
            ORDER BY answers.rowid
        ) AS rests_on
    FROM (SELECT rowid, question_id, "level", answer, evidence[1] AS triple FROM granola_answers)
        AS answers
    JOIN granola_questions AS questions USING (question_id)
    WHERE "level" = 1 AND list_contains(questions.evidence, triple)
    GROUP BY question_id
)
SELECT
    questions.source AS relation,
    CASE
        WHEN resolution = 'stated' THEN subject_qid || ' ' || questions.source
        ELSE questions.question
    END AS "key",
    question_id AS id,
    [questions.question] AS questions,
    {'answers': levels} AS contents,
    coalesce(rests_on, []) AS evidence,
    resolution = 'stated' AS is_stated,
    CASE WHEN resolution = 'stated' THEN [questions.source, subject_qid] END AS place,
    CAST(NULL AS VARCHAR) AS replacement,
    CAST(NULL AS VARCHAR) AS replaced
FROM granola_questions AS questions
LEFT JOIN granola_levels USING (question_id)
LEFT JOIN statements USING (question_id)
ORDER BY questions.rowid
