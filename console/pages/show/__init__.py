"""Records of the engine as a page shows them: every string is prepared here, templates only place them."""
