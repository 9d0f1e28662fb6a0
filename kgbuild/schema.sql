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
