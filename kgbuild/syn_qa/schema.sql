-- Minimal pairs: the same question about a subject of which the relation holds, and about a
-- replacement of which it does not.

CREATE TABLE IF NOT EXISTS syn_qa_pairs (
    pair_id                VARCHAR NOT NULL,
    relation               VARCHAR NOT NULL,
    relation_label         VARCHAR NOT NULL,
    template_id            VARCHAR NOT NULL,
    hops                   INTEGER NOT NULL,
    subject_qid            VARCHAR NOT NULL,
    subject_label          VARCHAR NOT NULL,
    bridge_qid             VARCHAR,
    bridge_label           VARCHAR,
    replacement_qid        VARCHAR NOT NULL,
    replacement_label      VARCHAR NOT NULL,
    object_qid             VARCHAR NOT NULL,
    object_label           VARCHAR NOT NULL,
    overlap                INTEGER NOT NULL,
    shared                 STRUCT(property VARCHAR, "value" VARCHAR)[] NOT NULL,
    similarity             VARCHAR NOT NULL,  -- which measure chose the replacement
    question               VARCHAR NOT NULL,
    false_question         VARCHAR NOT NULL,
    answer                 VARCHAR,
    falsity                VARCHAR NOT NULL,  -- 'closed' or 'absent'
    risk                   DOUBLE,  -- how probable it is that the assumption is true although the store does not say so
    evidence               STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[] NOT NULL,
    falsity_evidence       STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[] NOT NULL,
    popularity             BIGINT NOT NULL,
    replacement_popularity BIGINT NOT NULL,
    source_id              VARCHAR,
    split                  VARCHAR NOT NULL
);

CREATE OR REPLACE VIEW syn_qa_questions AS
    SELECT pair_id, question, false AS false_assumption FROM syn_qa_pairs
    UNION ALL
    SELECT pair_id, false_question, true FROM syn_qa_pairs
    ORDER BY pair_id, false_assumption;
