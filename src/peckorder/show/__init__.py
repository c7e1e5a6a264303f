"""Pictures of results: they draw what they are given, and compute nothing."""
