"""``manage.py routesdoc``: every route of the console with what it asks for, as a page for ``docs/routes.md``."""

from collections.abc import Iterator

from django.core.management.base import BaseCommand
from django.urls import URLPattern, get_resolver

HEAD = """# Routes

What each address of the console asks for. A permission counts inside a project one belongs to (the
[operator's guide](operator-guide.md) tells who holds which); *signed in* needs an account, *agent token* a token,
*anyone* nothing. What lies in a foreign project looks like what does not exist. The addresses below `/knowledge/` are
those of [agents](agents.md). This page is written by `manage.py routesdoc`.

| address | name | reading asks for | writing asks for |
| --- | --- | --- | --- |"""


def page() -> Iterator[str]:
    """The lines of the page, in the order of the addresses."""
    yield from HEAD.splitlines()
    patterns = [each for each in get_resolver().url_patterns if isinstance(each, URLPattern)]
    yield from sorted(_row(each) for each in patterns)


def _row(pattern: URLPattern) -> str:
    asks = getattr(pattern.callback, "asks", {})
    told = [str(asks[method]).replace("_", " ") if asks.get(method) else "" for method in ("GET", "POST")]
    address = "/" + str(pattern.pattern).replace("<slug:", "<").replace("<str:", "<").replace("<int:", "<")
    return f"| `{address.replace('<path:', '<')}` | `{pattern.name}` | {told[0]} | {told[1]} |"


class Command(BaseCommand):
    help = "Print docs/routes.md."

    def handle(self, *args: object, **options: object) -> None:
        self.stdout.write("\n".join(page()))
