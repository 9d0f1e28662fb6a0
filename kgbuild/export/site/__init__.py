"""The website of a release: a page that shows, searches and filters all rows, without a server."""
