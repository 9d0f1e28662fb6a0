"""The report: one page that shows what was built, from what, and how models fare on it."""
