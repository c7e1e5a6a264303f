"""The one-file report: analysis, sections, page."""
