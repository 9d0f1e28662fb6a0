-- What the store of a build stated, as far as its tables show it: see kgbuild/tables/versions.py.

-- Of what is asked, the answers that are stated and all that follow from them: who was born in
-- Paris was born in France, as another dump may say.
WITH said AS (
    SELECT
        question_id,
        unnest(flatten([[triple.subject, triple."object"] FOR triple IN evidence])) AS form
    FROM granola_questions
    UNION ALL
    SELECT question_id, unnest([qid, answer]) AS form
    FROM granola_answers AS answers
    JOIN granola_questions AS asked USING (question_id)
    WHERE list_contains(asked.evidence, answers.evidence[1])
)
SELECT
    concat_ws(
        ' ',
        source,
        CASE WHEN resolution <> 'stated' THEN question END,
        subject_qid,
        relation
    ) AS scope,
    list_distinct(list(form)) AS forms  -- which leaves out what is NULL
FROM granola_questions AS asked
LEFT JOIN said USING (question_id)
WHERE subject_qid IS NOT NULL
GROUP BY scope
UNION ALL
-- Where there is no question since no value can be named, all values.
SELECT
    concat_ws(' ', relation, candidate) AS scope,
    string_split(detail, ', ') AS forms
FROM rejections
WHERE
    dataset = 'granola' AND reason IN ('no label', 'no date')
    AND detail <> split_part(candidate, ' ', 1)
