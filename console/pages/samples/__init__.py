"""What the gallery shows: made up, the same on every visit, in every state a component knows."""
