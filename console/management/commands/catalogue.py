"""Write locale/django.pot, which every translation starts from."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from console.catalogue import template


class Command(BaseCommand):
    help = "Write locale/django.pot from the texts of templates and of the console's Python files."

    def handle(self, *_args: Any, **_options: Any) -> None:
        path = settings.ROOT / "locale" / "django.pot"
        path.parent.mkdir(exist_ok=True)
        written = template(settings.ROOT)
        path.write_bytes(written)
        self.stdout.write(f"{path.relative_to(settings.ROOT)}: {written.count(b'msgid ')} texts")
