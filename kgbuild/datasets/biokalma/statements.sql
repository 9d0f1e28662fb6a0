-- What the store of a build states, as far as the tables show it: see kgbuild/tables/versions.py.

-- The pool has all facts about the subjects that can be cited, but few about items between them.
SELECT
    concat_ws(' ', pool.source, pool.qid) AS scope,
    list_distinct(
        list(concat_ws(' ', property, coalesce(value_qid, "value")))
        || list(concat_ws(' ', property, "value"))
    ) AS forms
FROM biokalma_pool AS pool
JOIN biokalma_questions AS questions USING (question_id)
WHERE list_contains([subject.qid FOR subject IN questions.subjects], pool.qid)
GROUP BY scope
