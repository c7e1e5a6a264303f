"""Where the bundle keeps compiled loops: one folder of the user, wherever the bundle lies.

Numba's own places do not fit a frozen program: the one given by NUMBA_CACHE_DIR needs the source
file, the one of the user is named after the current folder. Chosen by NUMBA_CACHE_LOCATOR_CLASSES.
"""

import os


class KernelPlace:
    """The folder PECKORDER_KERNELS; its content is valid for the build PECKORDER_BUILD."""

    def __init__(self, line: int):
        self.line = line

    @classmethod
    def from_function(cls, py_func, py_file):
        """The place of a loop; None where nothing can be kept."""
        place = cls(py_func.__code__.co_firstlineno)
        try:
            place.ensure_cache_path()
        except OSError:
            return None
        return place

    def ensure_cache_path(self):
        """Make the folder; an OSError if it cannot be written to."""
        os.makedirs(self.get_cache_path(), exist_ok=True)
        if not os.access(self.get_cache_path(), os.W_OK):
            raise OSError

    def get_cache_path(self):
        """The folder."""
        return os.environ["PECKORDER_KERNELS"]

    def get_source_stamp(self):
        """What changes when the sources change."""
        return os.environ["PECKORDER_BUILD"]

    def get_disambiguator(self):
        """What tells loops of one name apart."""
        return str(self.line)
