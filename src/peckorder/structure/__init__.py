"""Structure of a hierarchy: steepness, linearity, transitivity, consistency, stability."""
