"""The engine's tables, by subject."""
