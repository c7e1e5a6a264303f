"""Questions to a ranking: what it hangs on, whom to watch next, and what it would have shown."""
