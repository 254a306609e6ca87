"""Questions no document answers yet, counted, until an import answers them."""
