"""The report, a self-contained HTML file: analysis, sections, page."""
