"""How many examples of Hypothesis a test tries."""

from hypothesis import settings

NIGHTLY = settings.get_profile("nightly").max_examples


def examples(most: int) -> settings:
    """At most so many, with `--hypothesis-profile nightly`; a fifth of them otherwise, or all of 20."""
    quick = settings().max_examples
    return settings(max_examples=max(min(most, quick), most * quick // NIGHTLY))
