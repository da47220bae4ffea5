"""Studies: each one file, each callable from Python and from the command line."""
