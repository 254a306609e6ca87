"""``manage.py settingsdoc``: the settings as a page for ``docs/settings.md``."""

from collections.abc import Iterator

from django.core.management.base import BaseCommand

from console import env

HEAD = """# Settings

Every setting can stand in `anthill.toml` (beside `manage.py`, or where `ANTHILL_CONFIG` points) or in the environment;
the environment wins. Settings marked *console* can also be written under Connection, Settings, unless the file or the
environment pins them. Nothing needs to be set: the defaults run on one machine.

A secret may stand in a file of its own: `ANTHILL_DATABASE_URL_FILE` names the file that holds `database_url`, and so
with `engine_database_url`, `metrics_token` and `knowledge_forager_token`. The variable itself wins over the file.

Those that hold *at once* are read anew for each request. A file that cannot be read changes nothing: what was read last
holds, and the page says what is wrong with it. This page is written by `manage.py settingsdoc`.

| setting | variable | takes | default | who writes it | holds | what it is |
| --- | --- | --- | --- | --- | --- | --- |"""


def page() -> Iterator[str]:
    """The lines of the page."""
    yield from HEAD.splitlines()
    yield from (_row(each) for each in env.TABLE)


def _row(setting: env.Setting) -> str:
    default = ", ".join(setting.default) if isinstance(setting.default, tuple) else str(setting.default)
    shown = f"`{default}`" if default else ""
    holds = "at once" if setting.is_live else "from the next start"
    cells = (f"`{setting.name}`", f"`{setting.variable}`", _takes(setting), shown, setting.writer, holds, setting.help)
    return f"| {' | '.join(cells)} |"


def _takes(setting: env.Setting) -> str:
    if setting.choices:
        return " or ".join(setting.choices)
    if setting.kind is not env.Kind.NUMBER:
        return setting.kind
    most = f"to {setting.highest}" if setting.highest is not None else "up"
    return f"{setting.kind}, {setting.lowest} {most}"


class Command(BaseCommand):
    help = "Print docs/settings.md."

    def handle(self, *args: object, **options: object) -> None:
        self.stdout.write("\n".join(page()))
