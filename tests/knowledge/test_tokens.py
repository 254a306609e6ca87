"""Lengths by the consumer's own tokenizer: the real libraries, with vocabularies made on the spot."""

import builtins
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tiktoken.registry
from tokenizers import Tokenizer as Words
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from knowledge.contract import TokenizerUnavailableError, Utf8Bytes, tokenizer_named

TEXT = "the roof is red, the gate is <|endoftext|>"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    tokenizer_named.cache_clear()
    yield
    tokenizer_named.cache_clear()


@pytest.fixture
def words_file(tmp_path: Path) -> Path:
    made = Words(WordLevel({"the": 0, "roof": 1, "is": 2, "red": 3, "?": 4}, unk_token="?"))
    made.pre_tokenizer = Whitespace()  # type: ignore[assignment]
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
    return path


@pytest.fixture
def bytes_encoding(monkeypatch: pytest.MonkeyPatch) -> str:
    ranks = {bytes([value]): value for value in range(256)} | {b"th": 256, b"the": 257}
    made = tiktoken.Encoding("own", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 300})
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, "own", made)
    return "own"


def test_bytes_are_counted_unless_a_tokenizer_is_named() -> None:
    assert isinstance(tokenizer_named(""), Utf8Bytes)
    assert tokenizer_named("").count("äb") == 3


def test_a_file_counts_as_its_tokenizer_does(words_file: Path) -> None:
    named = tokenizer_named(f"file:{words_file}")
    assert (named.name, named.count("the roof is red")) == ("file:tokenizer.json", 4)
    assert named.count("") == 0


def test_an_encoding_counts_as_tiktoken_does(bytes_encoding: str) -> None:
    named = tokenizer_named(f"tiktoken:{bytes_encoding}")
    assert (named.name, named.count("the the")) == ("tiktoken:own", 3)


def test_text_that_looks_like_a_special_token_is_text(bytes_encoding: str) -> None:
    named = tokenizer_named(f"tiktoken:{bytes_encoding}")
    assert named.count(TEXT) > len("<|endoftext|>")


def test_a_byte_is_never_more_than_one_token(bytes_encoding: str) -> None:
    for text in (TEXT, "ü€漢", " \n\t", "the" * 50):
        assert tokenizer_named(f"tiktoken:{bytes_encoding}").count(text) <= Utf8Bytes().count(text)


@pytest.mark.parametrize("name", ["file:/nowhere.json", "file:", "tiktoken:never_made", "gpt", "bytes"])
def test_one_that_cannot_be_used_says_so(name: str) -> None:
    with pytest.raises(TokenizerUnavailableError) as told:
        tokenizer_named(name)
    assert str(told.value).endswith(".")


@pytest.mark.parametrize(("name", "library"), [("file:/x.json", "tokenizers"), ("tiktoken:own", "tiktoken")])
def test_without_the_extra_it_says_what_is_missing(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    there = builtins.__import__

    def without(module: str, *rest: Any, **named: Any) -> Any:
        if module == library:
            raise ImportError(module)
        return there(module, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(TokenizerUnavailableError, match="extra “tokens”"):
        tokenizer_named(name)
