"""What the engine tells of its bases: read at least once, kept first, acted on once in effect."""
