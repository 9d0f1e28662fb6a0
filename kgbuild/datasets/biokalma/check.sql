-- Rows that contradict others: see kgbuild/tables/database.py.

SELECT 'biokalma_questions' AS "table", 'its build is missing' AS fault, question_id AS id
FROM biokalma_questions ANTI JOIN builds ON dataset = 'biokalma' AND builds.relation = biokalma_questions.source
UNION ALL
SELECT 'biokalma_questions', 'two rows have one id', question_id
FROM biokalma_questions GROUP BY ALL HAVING count(*) > 1
UNION ALL
SELECT 'biokalma_questions', 'it has no evidence', question_id
FROM biokalma_questions WHERE len(evidence) = 0 AND regexp_full_match(source, 'P[0-9]+')
UNION ALL
SELECT "table", 'its question is missing', question_id
FROM (
    SELECT 'biokalma_knowledge' AS "table", question_id FROM biokalma_knowledge
    UNION ALL SELECT 'biokalma_pool', question_id FROM biokalma_pool
    UNION ALL SELECT 'biokalma_equivalents', question_id FROM biokalma_equivalents
    UNION ALL SELECT 'biokalma_absent', question_id FROM biokalma_absent
    UNION ALL SELECT 'biokalma_graphs', question_id FROM biokalma_graphs
) ANTI JOIN biokalma_questions USING (question_id)
ORDER BY ALL;
