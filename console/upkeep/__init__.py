"""Letting go of what the console was told to keep only so long."""
