"""The one way a decision of a person is refused."""


class RulingRefused(Exception):
    """The ruling cannot be recorded; ``field`` says what is wrong with it, empty when the state moved."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field
