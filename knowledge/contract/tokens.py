"""How long a text is to its consumer. Exact UTF-8 bytes where no tokenizer is known: never fewer than the tokens."""

from typing import Protocol


class Tokenizer(Protocol):
    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


class Utf8Bytes:
    """Every token of every byte-level tokenizer covers at least one byte, so this only errs on the safe side."""

    name = "utf8-bytes"

    def count(self, text: str) -> int:
        return len(text.encode("utf-8", "surrogatepass"))
