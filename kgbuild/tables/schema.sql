-- Tables that all datasets share.

CREATE TABLE IF NOT EXISTS builds (
    dataset           VARCHAR NOT NULL,
    relation          VARCHAR NOT NULL,
    kgbuild_version   VARCHAR NOT NULL,
    built_at          TIMESTAMP NOT NULL,
    seed              BIGINT NOT NULL,
    options           JSON NOT NULL,
    dump              STRUCT("name" VARCHAR, modified VARCHAR, sha256 VARCHAR)[] NOT NULL,
    store_fingerprint VARCHAR NOT NULL,
    store_triples     BIGINT NOT NULL,
    "rows"            BIGINT NOT NULL,
    rejected          BIGINT NOT NULL,
    seconds           DOUBLE NOT NULL
);

CREATE TABLE IF NOT EXISTS rejections (
    dataset   VARCHAR NOT NULL,
    relation  VARCHAR NOT NULL,
    candidate VARCHAR NOT NULL,
    reason    VARCHAR NOT NULL,
    detail    VARCHAR NOT NULL
);

-- Statements of rows that were compared with an older store.
CREATE TABLE IF NOT EXISTS since (
    dataset  VARCHAR NOT NULL,
    relation VARCHAR NOT NULL,
    item_id  VARCHAR NOT NULL,
    subject  VARCHAR NOT NULL,
    property VARCHAR NOT NULL,
    "object" VARCHAR NOT NULL,
    change   VARCHAR NOT NULL,
    older    VARCHAR[] NOT NULL,
    decides  BOOLEAN NOT NULL
);

-- Answers of models.
CREATE TABLE IF NOT EXISTS predictions (
    dataset          VARCHAR NOT NULL,
    item_id          VARCHAR NOT NULL,
    false_assumption BOOLEAN,
    model            VARCHAR NOT NULL,
    protocol         VARCHAR NOT NULL,
    removed          INTEGER,
    accuracy         INTEGER,
    sample           INTEGER NOT NULL,
    prompt_hash      VARCHAR NOT NULL,
    "text"           VARCHAR NOT NULL,
    tokens_in        BIGINT NOT NULL,
    tokens_out       BIGINT NOT NULL,
    seconds          DOUBLE NOT NULL,
    finish_reason    VARCHAR,
    reasoning        VARCHAR,
    server_model     VARCHAR,
    parameters       VARCHAR,
    confidence       DOUBLE
);

-- Scores of these answers.
CREATE TABLE IF NOT EXISTS scores (
    dataset    VARCHAR NOT NULL,
    model      VARCHAR NOT NULL,
    protocol   VARCHAR NOT NULL,
    removed    INTEGER,
    accuracy   INTEGER,
    grouped_by VARCHAR NOT NULL,
    "group"    VARCHAR NOT NULL,
    judge      VARCHAR NOT NULL,
    metric     VARCHAR NOT NULL,
    "value"    DOUBLE NOT NULL,
    low        DOUBLE,
    high       DOUBLE,
    answers    BIGINT NOT NULL,
    source     VARCHAR NOT NULL
);

-- Answers of people who reviewed rows: the last answer of each person to each question.
CREATE TABLE IF NOT EXISTS reviews (
    dataset     VARCHAR NOT NULL,
    item_id     VARCHAR NOT NULL,
    reviewer    VARCHAR NOT NULL,
    question    VARCHAR NOT NULL,
    answer      VARCHAR NOT NULL,
    answered_at TIMESTAMP NOT NULL
);

-- Verdicts of other sources on the assumptions of rows.
CREATE TABLE IF NOT EXISTS verifications (
    dataset     VARCHAR NOT NULL,
    relation    VARCHAR NOT NULL,
    item_id     VARCHAR NOT NULL,
    split       VARCHAR NOT NULL,
    role        VARCHAR NOT NULL,
    source_kind VARCHAR NOT NULL,
    source      VARCHAR NOT NULL,
    verdict     VARCHAR NOT NULL,
    form        VARCHAR,
    evidence    VARCHAR NOT NULL,
    verified_at TIMESTAMP NOT NULL
);

-- Answers of models, with the id that reviews use.
CREATE OR REPLACE VIEW reviewable_predictions AS
    SELECT
        concat_ws(
            ', ', item_id, false_assumption, model, protocol,
            'removed ' || removed, 'accuracy ' || accuracy, sample
        ) AS prediction_id,
        *
    FROM predictions;
