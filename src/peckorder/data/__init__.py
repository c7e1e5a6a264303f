"""The only door for data: everything is checked here, once."""
