"""Agent tokens: how a program of the colony shows who it is. Kept as digests alone."""
