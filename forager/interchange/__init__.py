"""Files out of a base."""
