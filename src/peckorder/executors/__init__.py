"""Work that runs elsewhere: processes of this machine, executors of Python, clusters."""
