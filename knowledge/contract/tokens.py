"""How long a text is to its consumer. Exact UTF-8 bytes where no tokenizer is known: never fewer than the tokens."""

from pathlib import Path
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


class TokenizerFile:
    """A ``tokenizer.json`` on this machine, read by the ``tokenizers`` library where that is installed."""

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer as Loaded  # noqa: PLC0415 - optional, only for who names a file

        self._loaded = Loaded.from_file(str(path))
        self.name = f"file:{path.name}"

    def count(self, text: str) -> int:
        return len(self._loaded.encode(text).ids)


class Tiktoken:
    """An encoding of ``tiktoken`` where that is installed with its data."""

    def __init__(self, encoding: str) -> None:
        import tiktoken  # noqa: PLC0415 - optional, only for who names an encoding

        self._encoding = tiktoken.get_encoding(encoding)
        self.name = f"tiktoken:{encoding}"

    def count(self, text: str) -> int:
        return len(self._encoding.encode(text, disallowed_special=()))
