-- Rows that contradict others: see kgbuild/tables/database.py.

SELECT 'grouse_tests' AS "table", 'its build is missing' AS fault, test_id AS id
FROM grouse_tests ANTI JOIN builds ON dataset = 'grouse' AND builds.relation = grouse_tests.source
UNION ALL
SELECT 'grouse_tests', 'two rows have one id', test_id
FROM grouse_tests GROUP BY ALL HAVING count(*) > 1
ORDER BY ALL;
