"""What the site adds to the pages written by hand: pages of commands and functions, and links."""
