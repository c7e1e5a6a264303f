"""What tests of the report share."""

import pytest


@pytest.fixture
def unillustrated(monkeypatch):
    """A report whose static pictures are empty: they take most of its time.

    For tests of words and tables. Pictures are those of `po.plot`; test_report.py has reports with
    them.
    """
    monkeypatch.setattr(
        "peckorder.reporting.page.light_picture",
        lambda *_, **__: b'<svg xmlns="http://www.w3.org/2000/svg"/>',
    )
