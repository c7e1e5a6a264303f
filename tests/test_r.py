"""R: the page on the R package prints what it says."""

import os

import pytest

from tests.r_document import PAGE, has_reticulate, pieces, printed_now


@pytest.mark.programs
@pytest.mark.r
def test_the_page_prints_what_it_prints():
    if not has_reticulate():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("There is no reticulate.")
    expected = pieces(PAGE.read_text(encoding="utf-8"))
    assert len(expected) > 10
    found = printed_now([code for code, _ in expected])
    assert found == [printed for _, printed in expected]


def test_pieces_of_the_page():
    text = "```r\na <- 1\na\n#> [1] 1\nb\n#>   x\n#> y\n```\n\n```sh\n#> no\n```\n"
    assert pieces(text) == [("a <- 1\na\n", ["[1] 1"]), ("b\n", ["  x", "y"])]
