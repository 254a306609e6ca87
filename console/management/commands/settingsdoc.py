"""``manage.py settingsdoc``: the settings as a page for ``docs/settings.md``."""

from django.core.management.base import BaseCommand

from console import env

HEAD = """# Settings

Every setting can stand in `anthill.toml` (beside `manage.py`, or where `ANTHILL_CONFIG` points) or in the environment;
the environment wins. Settings marked *console* can also be written on the Connection page, unless the file or the
environment pins them. Nothing needs to be set: the defaults run on one machine.

| setting | variable | kind | default | who writes it | what it is |
| --- | --- | --- | --- | --- | --- |"""


class Command(BaseCommand):
    help = "Print docs/settings.md."

    def handle(self, *args: object, **options: object) -> None:
        self.stdout.write(HEAD)
        for each in env.TABLE:
            default = ", ".join(each.default) if isinstance(each.default, tuple) else str(each.default)
            shown = f"`{default}`" if default else ""
            self.stdout.write(
                f"| `{each.name}` | `{each.variable}` | {each.kind} | {shown} | {each.writer} | {each.help} |"
            )
