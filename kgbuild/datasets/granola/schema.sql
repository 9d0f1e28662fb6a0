-- Questions with answers at every granularity: the finest at level 1, each coarser one at a level
-- of its own.

CREATE TABLE IF NOT EXISTS granola_questions (
    question_id         VARCHAR NOT NULL,
    relation            VARCHAR NOT NULL,
    question            VARCHAR NOT NULL,
    subject_qid         VARCHAR,
    subject_label       VARCHAR,
    subject_description VARCHAR,
    answers             STRUCT(qid VARCHAR, "label" VARCHAR)[] NOT NULL,  -- all gold answers
    popularity          BIGINT NOT NULL,  -- statements that point to the subject
    resolution          VARCHAR NOT NULL,  -- which rule chose the subject
    source              VARCHAR NOT NULL,  -- the relation or the file it was built from
    evidence            STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[] NOT NULL,
    split               VARCHAR NOT NULL
);

CREATE TABLE IF NOT EXISTS granola_answers (
    question_id VARCHAR NOT NULL,
    "level"     INTEGER NOT NULL,  -- 1 is the finest
    answer      VARCHAR NOT NULL,
    aliases     VARCHAR[] NOT NULL,
    qid         VARCHAR,  -- the item that it names, if it names one
    kind        VARCHAR NOT NULL,
    bits        DOUBLE NOT NULL,  -- −log2 of the share of possible answers that it covers
    capped      BOOLEAN NOT NULL,  -- whether it would have more bits than a finer one, and got as many
    evidence    STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[] NOT NULL,
    source      VARCHAR NOT NULL
);

-- A question a row, with its answers as a list of levels, each a list of the answers at it.

CREATE OR REPLACE VIEW granola_levels AS
    SELECT
        question_id,
        relation,
        question,
        list(texts ORDER BY "level") AS levels
    FROM granola_questions
    JOIN (
        SELECT question_id, "level", list(answer ORDER BY answer) AS texts
        FROM granola_answers
        GROUP BY question_id, "level"
    ) USING (question_id)
    GROUP BY question_id, relation, question
    ORDER BY question_id;
