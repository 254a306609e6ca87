"""Which row of a table holds the heads, where the format does not say."""

from collections.abc import Sequence

HEAD_MAX = 60


def first_row_is_heads(rows: Sequence[Sequence[str]]) -> bool:
    """Short words without digits over at least one row; of two columns only when the rows below hold numbers."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    heads, below = rows[0], rows[1:]
    if not all(head and len(head) <= HEAD_MAX and not head.endswith((":", ".", "?")) for head in heads):
        return False
    if any(_has_digit(head) for head in heads):
        return False
    numbered = sum(any(_has_digit(cell) for cell in row) for row in below)
    return len(heads) > 2 or numbered * 2 > len(below)


def _has_digit(words: str) -> bool:
    return any(character.isdigit() for character in words)
