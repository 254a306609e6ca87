"""The only room that knows the engine: its client, its wire and the providers over them."""
