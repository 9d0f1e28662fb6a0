"""Manual verification: a page that shows rows one by one and saves the answers of reviewers."""
