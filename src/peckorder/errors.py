"""What can be wrong with data, said so that its owner can act on it."""


class DataError(ValueError):
    """The data cannot be used as they are.

    Each problem is a sentence or two that says what is wrong, where (row, column, name) and what
    to do next. All problems found in one reading are raised together, so that a sheet can be
    mended in one go.
    """

    def __init__(self, *problems: str):
        super().__init__("\n".join(problems))
        self.problems = problems


class DataWarning(UserWarning):
    """The data can be used, but an answer drawn from them needs care."""
