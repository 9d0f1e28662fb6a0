-- Unit tests for evaluators of grounded question answering, and how evaluators fare.

CREATE TABLE IF NOT EXISTS grouse_tests (
    test_id         VARCHAR NOT NULL,
    test_type       VARCHAR NOT NULL,
    "references"    VARCHAR[] NOT NULL,  -- cited by their number, from 1
    "input"         VARCHAR NOT NULL,  -- the question
    actual_output   VARCHAR NOT NULL,  -- the answer to grade
    expected_output VARCHAR NOT NULL,  -- the true answer
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
        other_qid     VARCHAR,  -- the similar item whose facts stand beside the subject's
        fault         VARCHAR,  -- what was planted; empty in a right answer
        evidence      STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[]
    ) NOT NULL,
    source          VARCHAR NOT NULL,  -- the class of the subjects
    split           VARCHAR NOT NULL
);

-- A row for each metric of each test that a judge was put to, or of each answer that it graded.
CREATE TABLE IF NOT EXISTS grouse_results (
    judge     VARCHAR NOT NULL,
    source    VARCHAR NOT NULL,  -- grouse, or the file; of the tuning set with ", tuning" behind
    test_id   VARCHAR NOT NULL,
    test_type VARCHAR NOT NULL,
    metric    VARCHAR NOT NULL,
    condition VARCHAR,  -- NULL of answers that were only graded
    grade     INTEGER,  -- NULL where it is undefined, or cannot be read
    outcome   VARCHAR NOT NULL  -- passed, failed or unparsable; without a condition graded, undefined or unparsable
);
