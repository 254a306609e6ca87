#!/usr/bin/env python
"""Console commands: migrate, createfirstadmin, up and the rest."""

import os
import sys

OF_A_CONSOLE = ("backup", "changepassword", "colony", "gaps", "mcp")
"""Commands about a console that is there. Looked at before the settings, which make the folder and a key in it."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.site.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    from console import database, env  # noqa: PLC0415

    if sys.argv[1:2] and sys.argv[1] in OF_A_CONSOLE and not {"-h", "--help"} & set(sys.argv):
        try:
            values = env.read()
        except env.SettingError as error:
            sys.exit(str(error))
        if not database.is_there(values):
            sys.exit(f"There is no console in {values.path('data_dir')}. Set ANTHILL_DATA_DIR.")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
