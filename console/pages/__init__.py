"""One module per screen. A view loads and checks, binds a form, calls one action and answers."""
