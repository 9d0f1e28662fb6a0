-- Questions with answers at every granularity: the finest at level 1, coarser ones at later levels.

CREATE TABLE IF NOT EXISTS granola_questions (
    question_id         VARCHAR NOT NULL,
    relation            VARCHAR NOT NULL,
    question            VARCHAR NOT NULL,
    subject_qid         VARCHAR,
    subject_label       VARCHAR,
    subject_description VARCHAR,
    answers             STRUCT(qid VARCHAR, "label" VARCHAR)[] NOT NULL,
    popularity          BIGINT NOT NULL,
    resolution          VARCHAR NOT NULL,
    source              VARCHAR NOT NULL,
    evidence            STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[] NOT NULL,
    split               VARCHAR NOT NULL,
    complete            DOUBLE
);

CREATE TABLE IF NOT EXISTS granola_answers (
    question_id VARCHAR NOT NULL,
    "level"     INTEGER NOT NULL,
    answer      VARCHAR NOT NULL,
    aliases     VARCHAR[] NOT NULL,
    qid         VARCHAR,
    kind        VARCHAR NOT NULL,
    bits        DOUBLE NOT NULL,
    capped      BOOLEAN NOT NULL,
    golds       VARCHAR[] NOT NULL,
    evidence    STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[] NOT NULL,
    source      VARCHAR NOT NULL
);

-- One row per question; its answers are a list of levels, and a level is a list of answers.

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
