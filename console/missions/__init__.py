"""Work for agents: queued once, claimed for a time, paid from a budget, handed in once."""
