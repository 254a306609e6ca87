"""An agent that needs nothing but the client."""
