"""Documents that are new or changed since the colony last studied them, and what people decide about each."""
