"""The command line `gdl`; to add a verb, put one file into `verbs`."""
