"""Manual verification: a page that shows rows one by one and keeps what reviewers say of them."""
