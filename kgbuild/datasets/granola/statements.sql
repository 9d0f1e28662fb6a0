-- What the store of a build states, as far as the tables show it: see kgbuild/tables/versions.py.

-- For each question, the stated answers and all that follow from them: a person born in Paris was
-- born in France, as another dump may state.
WITH answer_forms AS (
    SELECT
        question_id,
        unnest(flatten([[triple.subject, triple."object"] FOR triple IN evidence])) AS form
    FROM granola_questions
    UNION ALL
    SELECT question_id, unnest([qid, answer]) AS form
    FROM granola_answers AS answers
    JOIN granola_questions AS questions USING (question_id)
    WHERE list_contains(questions.evidence, answers.evidence[1])
)
SELECT
    concat_ws(
        ' ',
        source,
        CASE WHEN resolution <> 'stated' THEN question END,
        subject_qid,
        relation
    ) AS scope,
    list_distinct(list(form)) AS forms  -- without NULL
FROM granola_questions AS questions
LEFT JOIN answer_forms USING (question_id)
WHERE subject_qid IS NOT NULL
GROUP BY scope
UNION ALL
-- If no value has a label, there is no question; then all values are listed.
SELECT
    concat_ws(' ', relation, candidate) AS scope,
    string_split(detail, ', ') AS forms
FROM rejections
WHERE
    dataset = 'granola' AND reason IN ('no label', 'no date')
    AND detail <> split_part(candidate, ' ', 1)
