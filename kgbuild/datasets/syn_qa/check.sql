-- Rows that contradict others: see kgbuild/tables/database.py.

SELECT 'syn_qa_pairs' AS "table", 'its build is missing' AS fault, pair_id AS id
FROM syn_qa_pairs ANTI JOIN builds ON dataset = 'syn_qa' AND builds.relation = syn_qa_pairs.relation
UNION ALL
SELECT 'syn_qa_pairs', 'two rows have one id', pair_id
FROM syn_qa_pairs GROUP BY ALL HAVING count(*) > 1
UNION ALL
SELECT 'syn_qa_pairs', 'it has no evidence', pair_id
FROM syn_qa_pairs WHERE len(evidence) = 0 AND regexp_full_match(relation, 'P[0-9]+')
ORDER BY ALL;
