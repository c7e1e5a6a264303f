"""A few values are kept, those used last."""

from peckorder.app.kept import Kept


def test_the_value_not_used_for_longest_is_forgotten():
    kept, made = Kept(2), []
    for key in "abacab":
        kept.get_or_make(key, lambda key=key: made.append(key) or key)
    assert made == ["a", "b", "c", "b"]  # c took the place of b, not of a
    assert list(kept) == ["a", "b"]
