"""The documentation as a site: the pages of `docs/`, and a page for every document, clause and requirement."""
