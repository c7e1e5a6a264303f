"""All hot loops, compiled with Numba: arrays in, arrays out.

Modules in here import numpy, math and numba only. They never see names, None or tables.
"""
