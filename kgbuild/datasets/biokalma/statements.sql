-- What the store of a build stated, as far as its tables show it: see kgbuild/tables/versions.py.

-- The pool has all that can be cited of the subjects; of what lies between them it has a part.
SELECT
    concat_ws(' ', pool.source, pool.qid) AS scope,
    list_distinct(
        list(concat_ws(' ', property, coalesce(value_qid, "value")))
        || list(concat_ws(' ', property, "value"))
    ) AS forms
FROM biokalma_pool AS pool
JOIN biokalma_questions AS asked USING (question_id)
WHERE list_contains([one.qid FOR one IN asked.subjects], pool.qid)
GROUP BY scope
