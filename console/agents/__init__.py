"""Agents as callers: what the knowledge package asks of whoever asks it."""
