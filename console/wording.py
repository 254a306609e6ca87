"""Texts that are declared before it is known who reads them, and words that go with a number."""

from typing import cast

from django.utils.translation import gettext_lazy as later
from django.utils.translation import ngettext


def gettext_lazy(text: str) -> str:
    """Django's own, told to types as the text it becomes when it is shown."""
    return cast("str", later(text))


def plural(number: int, one: str, many: str) -> str:
    """``1 excerpt``, ``1,204 excerpts``. Both words are literals where this is called, so that they are found."""
    return f"{number:,} {ngettext(one, many, number)}"
