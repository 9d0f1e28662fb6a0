-- Rows that contradict others: see kgbuild/tables/database.py.

SELECT 'granola_questions' AS "table", 'its build is missing' AS fault, question_id AS id
FROM granola_questions ANTI JOIN builds ON dataset = 'granola' AND builds.relation = granola_questions.source
UNION ALL
SELECT 'granola_questions', 'two rows have one id', question_id
FROM granola_questions GROUP BY ALL HAVING count(*) > 1
UNION ALL
SELECT 'granola_questions', 'it has no evidence', question_id
FROM granola_questions WHERE len(evidence) = 0 AND regexp_full_match(source, 'P[0-9]+')
UNION ALL
SELECT 'granola_answers', 'it has no evidence', question_id
FROM granola_answers WHERE len(evidence) = 0 AND regexp_full_match(source, 'P[0-9]+')
UNION ALL
SELECT 'granola_answers', 'its question is missing', question_id
FROM granola_answers ANTI JOIN granola_questions USING (question_id)
ORDER BY ALL;
