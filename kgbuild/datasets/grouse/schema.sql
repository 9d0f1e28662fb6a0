-- Unit tests for judges of grounded answers, and the results of judges.

CREATE TABLE IF NOT EXISTS grouse_tests (
    test_id         VARCHAR NOT NULL,
    test_type       VARCHAR NOT NULL,
    "references"    VARCHAR[] NOT NULL,
    "input"         VARCHAR NOT NULL,
    actual_output   VARCHAR NOT NULL,
    expected_output VARCHAR NOT NULL,
    conditions      STRUCT(
        answer_relevancy_condition    VARCHAR,
        completeness_condition        VARCHAR,
        usefulness_condition          VARCHAR,
        faithfulness_condition        VARCHAR,
        positive_acceptance_condition VARCHAR,
        negative_rejection_condition  VARCHAR
    ) NOT NULL,
    metadata        STRUCT(
        test_type     VARCHAR,
        subject_qid   VARCHAR,
        subject_label VARCHAR,
        other_qid     VARCHAR,
        fault         VARCHAR,
        evidence      STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[]
    ) NOT NULL,
    source          VARCHAR NOT NULL,
    split           VARCHAR NOT NULL
);

-- A row for each metric of each test of a judge, or of each answer that it graded.
CREATE TABLE IF NOT EXISTS grouse_results (
    judge         VARCHAR NOT NULL,
    source        VARCHAR NOT NULL,
    test_id       VARCHAR NOT NULL,
    test_type     VARCHAR NOT NULL,
    metric        VARCHAR NOT NULL,
    condition     VARCHAR,
    grade         INTEGER,
    outcome       VARCHAR NOT NULL,
    justification VARCHAR
);
