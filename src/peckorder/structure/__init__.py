"""How a hierarchy is built: steepness, linearity, transitivity, consistency, stability."""
