import pytest

from tests.app.visitor import visiting


@pytest.fixture
def visitor(tmp_path):
    with visiting(tmp_path) as opened:
        yield opened
