-- Minimal pairs: the same question about a subject and an object that a relation joins, and about
-- a replacement of one of them, which it does not.

CREATE TABLE IF NOT EXISTS syn_qa_pairs (
    pair_id                VARCHAR NOT NULL,
    relation               VARCHAR NOT NULL,
    relation_label         VARCHAR NOT NULL,
    template_id            VARCHAR,
    hops                   INTEGER NOT NULL,
    subject_qid            VARCHAR,
    subject_label          VARCHAR NOT NULL,
    bridge_qid             VARCHAR,
    bridge_label           VARCHAR,
    replacement_qid        VARCHAR,
    replacement_label      VARCHAR NOT NULL,
    object_qid             VARCHAR,
    object_label           VARCHAR,
    overlap                INTEGER NOT NULL,
    shared                 STRUCT(property VARCHAR, "value" VARCHAR)[] NOT NULL,
    similarity             VARCHAR NOT NULL,
    question               VARCHAR NOT NULL,
    false_question         VARCHAR NOT NULL,
    answer                 VARCHAR,
    falsity                VARCHAR NOT NULL,
    risk                   DOUBLE,
    evidence               STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[] NOT NULL,
    falsity_evidence       STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[] NOT NULL,
    popularity             BIGINT NOT NULL,
    replacement_popularity BIGINT NOT NULL,
    source_id              VARCHAR,
    split                  VARCHAR NOT NULL,
    shortcut               VARCHAR[] NOT NULL
);

ALTER TABLE syn_qa_pairs ADD COLUMN IF NOT EXISTS perturbed VARCHAR;
ALTER TABLE syn_qa_pairs ADD COLUMN IF NOT EXISTS confusability VARCHAR;

CREATE OR REPLACE VIEW syn_qa_questions AS
    SELECT pair_id, question, false AS false_assumption FROM syn_qa_pairs
    UNION ALL
    SELECT pair_id, false_question, true FROM syn_qa_pairs
    ORDER BY pair_id, false_assumption;

-- The questions as models are asked whether they contain a false assumption: one text each, ready
-- to be sent. The examples are of four relations, and nothing but the fact itself tells which of
-- them are false: whoever stands in the place of another is of the same sex and the same time.
-- Questions are joined to the texts around them, so whatever a label holds stays as it is.

CREATE OR REPLACE VIEW syn_qa_prompts AS
    WITH examples (place, question, reasoning, answer) AS (
        VALUES
            (
                1,
                'When did Alfred Hitchcock direct Citizen Kane?',
                'The question takes for granted that Alfred Hitchcock directed Citizen Kane.'
                || ' The director of Citizen Kane was Orson Welles, so this is not true.',
                'yes'
            ),
            (
                2,
                'How long did Herman Melville work on Moby-Dick?',
                'The question takes for granted that Herman Melville worked on Moby-Dick.'
                || ' He is the author of that novel, so this is true.',
                'no'
            ),
            (
                3,
                'Since when has Sydney been the capital of Australia?',
                'The question takes for granted that Sydney is the capital of Australia.'
                || ' The capital of Australia is Canberra, so this is not true.',
                'yes'
            ),
            (
                4,
                'In which city did Bill Gates found Microsoft with Paul Allen?',
                'The question takes for granted that Bill Gates and Paul Allen founded Microsoft.'
                || ' They are its two founders, so this is true.',
                'no'
            )
    ),
    shots AS (
        SELECT
            string_agg(
                'Question: ' || question || E'\nAnswer: ' || answer || E'\n\n', '' ORDER BY place
            ) AS plain,
            string_agg(
                'Question: ' || question || E'\nReasoning: ' || reasoning
                || E'\nAnswer: ' || answer || E'\n\n',
                ''
                ORDER BY place
            ) AS reasoned
        FROM examples
    ),
    protocols (place, protocol, instruction, examples, start) AS (
        SELECT 1, 'zero-shot', 'Answer with one word, yes or no.', '', 'Answer:'
        UNION ALL (
            SELECT 2, 'four-shot', 'Answer with one word, yes or no.', plain, 'Answer:' FROM shots
            UNION ALL
            SELECT
                3,
                'chain-of-thought',
                'First say what the question takes for granted and whether that is true. Then end'
                || ' with a last line that reads "Answer: yes" or "Answer: no".',
                reasoned,
                'Reasoning:'
            FROM shots
        )
    )
    SELECT
        pair_id,
        false_assumption,
        protocol,
        'A question contains a false assumption if it takes for granted something that is not true.'
        || ' Does the last question below contain a false assumption? ' || instruction || E'\n\n'
        || examples || 'Question: ' || question || E'\n' || start AS prompt
    FROM syn_qa_questions, protocols
    ORDER BY pair_id, false_assumption, place;
