"""Reading and validating data: all input is checked here, once."""
