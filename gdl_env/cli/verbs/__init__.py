"""The verbs of the command line, a folder for each group; every file with a `VERB` is one."""
