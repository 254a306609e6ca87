"""Files out of a base, and packages of others into one."""
