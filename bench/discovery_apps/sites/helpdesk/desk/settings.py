"""The settings that django-helpdesk's installation guide asks for."""

from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
SECRET_KEY = "a bench needs no secret"
DEBUG = True
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "desk.urls"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.sites",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "helpdesk",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
if (HERE / "marks.js").exists():
    MIDDLEWARE.append("desk.marks.add_marks")
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.debug",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": HERE / "desk.sqlite3"}}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
SITE_ID = 1
STATIC_URL = "/static/"
MEDIA_URL = "/media/"
MEDIA_ROOT = HERE / "media"
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/dashboard/"
HELPDESK_TEAMS_MODE_ENABLED = False
HELPDESK_USE_HTTPS_IN_EMAIL_LINK = False
HELPDESK_KANBAN_BOARD_ENABLED = True
LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
