"""Rows to take away: CSV, in which no cell is a formula to a spreadsheet."""

import csv
from collections.abc import Iterable, Iterator, Sequence

from django.http import StreamingHttpResponse

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for a formula at the start of a cell."""


def csv_download(name: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> StreamingHttpResponse:
    """Streamed, so that a long table needs no memory."""
    answer = StreamingHttpResponse(_lines(columns, rows), content_type="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _lines(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield str(writer.writerow(columns))
    for row in rows:
        yield str(writer.writerow([f"'{cell}" if cell.startswith(FORMULA) else cell for cell in row]))


class _Echo:
    """A file for the csv writer that hands each line on."""

    def write(self, line: str) -> str:
        return line
