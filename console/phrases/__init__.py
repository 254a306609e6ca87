"""Reasons a person says often, kept for the keyboard."""
