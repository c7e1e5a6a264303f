"""`peckorder app`: the package in a browser on one's own machine, without own statistics."""
