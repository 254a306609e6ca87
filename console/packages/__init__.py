"""What agents were handed, frozen: packages, what came of them, and what was overturned since."""
