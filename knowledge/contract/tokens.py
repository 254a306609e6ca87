"""How long a text is to its consumer. Exact UTF-8 bytes where no tokenizer is named: never fewer than the tokens."""

from functools import lru_cache
from pathlib import Path
from typing import Protocol

FILE, TIKTOKEN = "file:", "tiktoken:"


class Tokenizer(Protocol):
    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


class TokenizerUnavailableError(Exception):
    """The tokenizer an operator named cannot be used; the message says why. Nothing is counted in its place."""


class Utf8Bytes:
    """Every token of every byte-level tokenizer covers at least one byte, so this only errs on the safe side."""

    name = "utf8-bytes"

    def count(self, text: str) -> int:
        return len(text.encode("utf-8", "surrogatepass"))


class TokenizerFile:
    """A ``tokenizer.json`` on this machine, read by ``tokenizers`` (extra ``tokens``). Nothing is fetched."""

    def __init__(self, path: Path) -> None:
        try:
            from tokenizers import Tokenizer as Loaded  # noqa: PLC0415 - optional, only for who names a file
        except ImportError as error:
            raise TokenizerUnavailableError("A tokenizer file needs the extra “tokens”.") from error
        try:
            self._loaded = Loaded.from_file(str(path))
        except Exception as error:  # what the library raises for an unreadable file has no class of its own
            raise TokenizerUnavailableError(f"{path} is no tokenizer file that can be read.") from error
        self.name = f"{FILE}{path.name}"

    def count(self, text: str) -> int:
        return len(self._loaded.encode(text, add_special_tokens=False).ids)


class Tiktoken:
    """An encoding of ``tiktoken`` (extra ``tokens``), whose data that library keeps or fetches by itself."""

    def __init__(self, encoding: str) -> None:
        try:
            import tiktoken  # noqa: PLC0415 - optional, only for who names an encoding
        except ImportError as error:
            raise TokenizerUnavailableError("An encoding of tiktoken needs the extra “tokens”.") from error
        try:
            self._encoding = tiktoken.get_encoding(encoding)
        except Exception as error:  # an unknown name, or data that could not be fetched
            message = f"tiktoken has no encoding “{encoding}” here. Name one whose data is on this machine."
            raise TokenizerUnavailableError(message) from error
        self.name = f"{TIKTOKEN}{encoding}"

    def count(self, text: str) -> int:
        return len(self._encoding.encode(text, disallowed_special=()))


@lru_cache(maxsize=4)
def tokenizer_named(name: str) -> Tokenizer:
    """By a setting: empty, ``file:PATH`` or ``tiktoken:ENCODING``. Raises ``TokenizerUnavailableError``."""
    if not name:
        return Utf8Bytes()
    if name.startswith(FILE):
        return TokenizerFile(Path(name.removeprefix(FILE)))
    if name.startswith(TIKTOKEN):
        return Tiktoken(name.removeprefix(TIKTOKEN))
    raise TokenizerUnavailableError(f"“{name}” names no tokenizer: file:PATH or tiktoken:ENCODING.")
