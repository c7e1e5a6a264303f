"""One analysis over many groups: one row per group, resumable, on one core or many machines."""
