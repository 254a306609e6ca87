"""Searches a person keeps under a name."""
