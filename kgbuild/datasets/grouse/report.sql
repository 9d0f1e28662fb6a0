-- The charts of GroUSE in the report. See kgbuild/report/queries.py.

-- name: splits
-- note: By a hash of the subject of the question: no subject is in two splits.
