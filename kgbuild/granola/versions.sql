-- What two builds of questions with levels are compared by: see kgbuild/differences.py.

SELECT
    asked.source AS relation,
    CASE
        WHEN resolution = 'stated' THEN subject_qid || ' ' || asked.source
        ELSE asked.question
    END AS "key",
    question_id AS id,
    asked.question,
    {'answers': levels} AS told,
    resolution = 'stated' AS is_stated,
    CASE WHEN resolution = 'stated' THEN [asked.source, subject_qid] END AS place,
    CAST(NULL AS VARCHAR) AS stand_in,
    CAST(NULL AS VARCHAR) AS stands_for
FROM granola_questions AS asked
LEFT JOIN granola_levels USING (question_id)
ORDER BY asked.rowid
