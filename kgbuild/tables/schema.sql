-- Tables that all datasets share.

CREATE TABLE IF NOT EXISTS builds (
    dataset           VARCHAR NOT NULL,
    relation          VARCHAR NOT NULL,  -- or the file that the questions came from
    kgbuild_version   VARCHAR NOT NULL,
    built_at          TIMESTAMP NOT NULL,  -- UTC
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
    candidate VARCHAR NOT NULL,  -- the triple, as ids
    reason    VARCHAR NOT NULL,
    detail    VARCHAR NOT NULL
);

-- What models answered.
CREATE TABLE IF NOT EXISTS predictions (
    dataset          VARCHAR NOT NULL,
    item_id          VARCHAR NOT NULL,  -- the question_id, or the pair_id
    false_assumption BOOLEAN,  -- which question of a pair was asked
    model            VARCHAR NOT NULL,
    protocol         VARCHAR NOT NULL,
    removed          INTEGER,  -- of an answer from a pool: how many pieces were taken out of it
    accuracy         INTEGER,  -- and how many of its graphs in a hundred are right
    sample           INTEGER NOT NULL,  -- from 0
    prompt_hash      VARCHAR NOT NULL,
    "text"           VARCHAR NOT NULL,
    tokens_in        BIGINT NOT NULL,
    tokens_out       BIGINT NOT NULL,
    seconds          DOUBLE NOT NULL
);

-- How well they did.
CREATE TABLE IF NOT EXISTS scores (
    dataset    VARCHAR NOT NULL,
    model      VARCHAR NOT NULL,  -- empty where a file does not tell it; so is the protocol
    protocol   VARCHAR NOT NULL,
    removed    INTEGER,  -- as in predictions
    accuracy   INTEGER,
    grouped_by VARCHAR NOT NULL,  -- what --by said, or empty
    "group"    VARCHAR NOT NULL,
    judge      VARCHAR NOT NULL,  -- the model that told entailment or quality, or empty
    metric     VARCHAR NOT NULL,
    "value"    DOUBLE NOT NULL,
    low        DOUBLE,  -- the ends of the 95 % interval
    high       DOUBLE,
    answers    BIGINT NOT NULL,
    source     VARCHAR NOT NULL  -- predictions, or the name of a file
);

-- What people said who checked rows by hand: of each only the last word.
CREATE TABLE IF NOT EXISTS reviews (
    dataset     VARCHAR NOT NULL,  -- 'syn_qa'; of models' answers to it 'syn_qa predictions'
    item_id     VARCHAR NOT NULL,  -- the pair_id, the question_id or the prediction_id
    reviewer    VARCHAR NOT NULL,
    question    VARCHAR NOT NULL,  -- 'natural', 'correct: Paris', …; 'note'; 'wording: question'
    answer      VARCHAR NOT NULL,
    answered_at TIMESTAMP NOT NULL  -- UTC
);

-- What models answered, with the id by which reviews name it.
CREATE OR REPLACE VIEW reviewable_predictions AS
    SELECT
        concat_ws(
            ', ', item_id, false_assumption, model, protocol,
            'removed ' || removed, 'accuracy ' || accuracy, sample
        ) AS prediction_id,
        *
    FROM predictions;
