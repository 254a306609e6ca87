"""Jobs: the eleven stages, run document by document, checkpointed, leased, and published in one commit."""
