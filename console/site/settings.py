"""Settings of the console. Values an operator may choose stand in ``console.env``."""

from typing import Any

from django.utils.csp import CSP

from console import database, env
from console.keyfile import secret_file
from console.site.logs import logging_config
from stores.address import configured

VALUES = env.read()
ROOT = env.ROOT
DATA_DIR = VALUES.path("data_dir")
DEBUG = VALUES.flag("debug")
PRODUCTION = VALUES.flag("production")
SHOW_COMPONENTS = DEBUG
SECRET_KEY = secret_file(DATA_DIR / "console-secret-key")
ALLOWED_HOSTS = list(VALUES.words("allowed_hosts"))
CSRF_TRUSTED_ORIGINS = list(VALUES.words("trusted_origins"))

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "console.audit",
    "console.people",
    "console.projects",
    "console.tokens",
    "console.packages",
    "console.gaps",
    "console.feed",
    "console.study",
    "console.missions",
    "console.proposals",
    "console.phrases",
    "console.searches",
    "console.connection",
    "console.backups",
    "console",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "console.site.logs.RequestIdMiddleware",
    "console.site.headers.HeadersMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "console.site.login.LiveSessionMiddleware",
    "console.site.login.SignInRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "console.site.urls"
WSGI_APPLICATION = "console.site.wsgi.application"
APPEND_SLASH = False

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "OPTIONS": {
            "loaders": [("django.template.loaders.cached.Loader", ["django.template.loaders.filesystem.Loader"])],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.contrib.messages.context_processors.messages",
                "console.http.named",
            ],
            "builtins": [
                "console.templatetags.ui",
                "django.templatetags.i18n",
                "django.templatetags.static",
                "django_htmx.templatetags.django_htmx",
            ],
        },
    }
]

DATABASES: dict[str, dict[str, Any]] = {
    "default": configured(VALUES.text("database_url"), database.place(DATA_DIR)),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "people.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"

AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 5 / 60  # hours
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_USERNAME_FORM_FIELD = "username"
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_LOCKOUT_CALLABLE = "console.pages.signin.locked_out"

OTP_TOTP_ISSUER = "Anthill Console"

SESSION_COOKIE_NAME = "anthill_session"
SESSION_COOKIE_AGE = VALUES.number("session_hours") * 3600
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_ENGINE = "django.contrib.sessions.backends.db"
CSRF_COOKIE_NAME = "anthill_csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "console.pages.errors.csrf_failed"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF, CSP.NONCE],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]
SECURE_HSTS_SECONDS = 31536000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PRODUCTION
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None

DATA_UPLOAD_MAX_NUMBER_FILES = 400
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_TEMP_DIR = None

STATIC_URL = "/static/"
STATIC_ROOT = ROOT / "static-built"
STATICFILES_DIRS = [ROOT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
"""Those with a catalogue; the browser's own choice among them counts."""
LOCALE_PATHS = [ROOT / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = VALUES.text("time_zone")

KNOWLEDGE_PROVIDER = "console.connection.providers.over_http"
"""Dotted path of the factory that makes a provider from the connection's settings; tests put a double here."""

LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = logging_config(debug=DEBUG)
