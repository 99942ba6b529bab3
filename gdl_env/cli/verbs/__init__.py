"""The verbs of the command line; every file here that has a `VERB` is one."""
