-- Questions about two subjects, the minimum knowledge that answers them, and their pools.

CREATE TABLE IF NOT EXISTS biokalma_questions (
    question_id       VARCHAR NOT NULL,
    subjects          STRUCT(qid VARCHAR, "label" VARCHAR)[] NOT NULL,
    relation          VARCHAR NOT NULL,
    general_question  VARCHAR NOT NULL,
    specific_question VARCHAR NOT NULL,
    paragraph         VARCHAR NOT NULL,
    popularity        BIGINT NOT NULL,
    source            VARCHAR NOT NULL,
    evidence          STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[] NOT NULL,
    split             VARCHAR NOT NULL,
    themes            VARCHAR[] NOT NULL
);

-- The minimum knowledge sets. The set of the specific question has the scope "specific", that of the
-- general question both scopes.
CREATE TABLE IF NOT EXISTS biokalma_knowledge (
    question_id    VARCHAR NOT NULL,
    "position"     INTEGER NOT NULL,
    scope          VARCHAR NOT NULL,
    round          INTEGER NOT NULL,
    qid            VARCHAR NOT NULL,
    property       VARCHAR NOT NULL,
    property_label VARCHAR NOT NULL,
    "value"        VARCHAR NOT NULL,
    value_qid      VARCHAR,
    specificity    DOUBLE NOT NULL,
    coherence      DOUBLE NOT NULL,
    score          DOUBLE NOT NULL,
    source         VARCHAR NOT NULL
);

-- The pools: the one-hop subgraphs of the subjects, which a model may cite.
CREATE TABLE IF NOT EXISTS biokalma_pool (
    question_id    VARCHAR NOT NULL,
    qid            VARCHAR NOT NULL,
    property       VARCHAR NOT NULL,
    property_label VARCHAR NOT NULL,
    "value"        VARCHAR NOT NULL,
    value_qid      VARCHAR,
    source         VARCHAR NOT NULL
);

-- The statements of the pools that say the same as a piece of a minimum knowledge set.
CREATE TABLE IF NOT EXISTS biokalma_equivalents (
    question_id VARCHAR NOT NULL,
    "position"  INTEGER NOT NULL,
    qid         VARCHAR NOT NULL,
    property    VARCHAR NOT NULL,
    "value"     VARCHAR NOT NULL,
    kind        VARCHAR NOT NULL,
    source      VARCHAR NOT NULL
);

-- Conscious incompetence: the facts that round n removes from the pool, with n pieces of the set.
CREATE TABLE IF NOT EXISTS biokalma_absent (
    question_id VARCHAR NOT NULL,
    removed     INTEGER NOT NULL,
    "position"  INTEGER NOT NULL,
    qid         VARCHAR NOT NULL,
    property    VARCHAR NOT NULL,
    "value"     VARCHAR NOT NULL,
    implies     BOOLEAN NOT NULL,
    source      VARCHAR NOT NULL
);

-- The ablation of retrieval: the item whose subgraph replaces that of each subject, if the
-- percentage "accuracy" of all subgraphs is right.
CREATE TABLE IF NOT EXISTS biokalma_graphs (
    question_id VARCHAR NOT NULL,
    accuracy    INTEGER NOT NULL,
    subject_qid VARCHAR NOT NULL,
    given_qid   VARCHAR NOT NULL,
    given_in    VARCHAR NOT NULL,
    source      VARCHAR NOT NULL
);

-- The pool of each question in each round of removal; round 0 is the complete pool.
CREATE OR REPLACE VIEW biokalma_rounds AS
    SELECT question_id, 0 AS removed, qid, property, property_label, "value", value_qid
    FROM biokalma_pool
    UNION ALL
    SELECT p.question_id, r.removed, p.qid, p.property, p.property_label, p."value", p.value_qid
    FROM biokalma_pool AS p
    JOIN (SELECT DISTINCT question_id, removed FROM biokalma_absent) AS r USING (question_id)
    ANTI JOIN biokalma_absent AS a
        ON p.question_id = a.question_id AND r.removed = a.removed AND p.qid = a.qid
        AND p.property = a.property AND p."value" = a."value";

-- The pool of each question at each accuracy; at 100 it is the pool of the question itself.
CREATE OR REPLACE VIEW biokalma_ablation AS
    SELECT question_id, 100 AS accuracy, qid, property, property_label, "value", value_qid
    FROM biokalma_pool
    UNION ALL
    SELECT g.question_id, g.accuracy, p.qid, p.property, p.property_label, p."value", p.value_qid
    FROM biokalma_graphs AS g
    JOIN biokalma_pool AS p ON p.question_id = g.given_in AND p.qid = g.given_qid;
