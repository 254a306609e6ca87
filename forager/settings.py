"""The engine's own settings, read once from the environment. Names are fixed by the engine contract."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from stores.address import Place, configured

VERSION = "0.1.0"

DATA_DIR = Path(os.environ.get("FORAGER_DATA_DIR", "var/engine")).resolve()
HOST = os.environ.get("FORAGER_HOST", "127.0.0.1")
PORT = int(os.environ.get("FORAGER_PORT", "8790"))
OPERATOR_KEY_FILE = os.environ.get("FORAGER_OPERATOR_KEY_FILE", "")
HOST_CREDENTIAL_FILE = os.environ.get("FORAGER_HOST_CREDENTIAL_FILE", "")
ALLOWED_INPUT_ROOTS = tuple(p for p in os.environ.get("FORAGER_ALLOWED_INPUT_ROOTS", "").split(os.pathsep) if p)

SUSPEND_ON_SIGNALS = os.environ.get("FORAGER_SUSPEND_ON_SIGNALS", "1") != "0"
FEED_DAYS = int(os.environ.get("FORAGER_FEED_DAYS", "90"))
EXPORT_DAYS = int(os.environ.get("FORAGER_EXPORT_DAYS", "30"))
RECHECK_HOURS = float(os.environ.get("FORAGER_RECHECK_HOURS", "24"))

MAX_FILE_BYTES = 100 * 1024 * 1024
MAX_FILES = 400
MAX_UPLOAD_BYTES = 1024 * 1024 * 1024
QUERY_CHARS = 4000

SECRET_KEY = "unused: the engine signs nothing"  # noqa: S105 - required by Django, nothing here uses it
DEBUG = False
ALLOWED_HOSTS = ["*"]  # bound to loopback by default; every route but four needs a bearer
ROOT_URLCONF = "forager.urls"
WSGI_APPLICATION = "forager.wsgi.application"
INSTALLED_APPS = ["forager.model"]
MIDDLEWARE: list[str] = []
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
APPEND_SLASH = False
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = None  # counted by our own limit, which names itself in the refusal
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2 * MAX_FILES
FILE_UPLOAD_HANDLERS = ["forager.api.uploads.LimitedUploads"]


def _database_url() -> str:
    """From the environment, or from the file it names, which keeps a password out of it."""
    named = os.environ.get(f"{STORE.variable}_FILE", "")
    told = os.environ.get(STORE.variable, "")
    try:
        return told or (Path(named).read_text("utf-8").strip() if named else "")
    except (OSError, UnicodeDecodeError):
        raise ImproperlyConfigured(f"{STORE.variable}_FILE names a file that cannot be read: {named}.") from None


STORE = Place(
    "forager",
    "FORAGER_DATABASE_URL",
    DATA_DIR / "engine.sqlite3",
    busy_seconds=float(os.environ.get("FORAGER_BUSY_SECONDS", "30")),
    pragmas=" PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;",
)
DATABASES = {
    "default": configured(_database_url(), STORE),
}
LOGGING_CONFIG = None
