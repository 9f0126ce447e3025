"""Wagtail's own project template with a user, a few pages, a document and a redirect."""

import os
import subprocess
import sys
from pathlib import Path

import django
from django.core.management import call_command


def project():
    """Create the project as `wagtail start` does, from Wagtail's template."""
    start = "from wagtail.bin.wagtail import main; main()"
    subprocess.run([sys.executable, "-c", start, "start", "paper", "."], check=True)
    sys.path.insert(0, str(Path.cwd()))
    os.environ["DJANGO_SETTINGS_MODULE"] = "paper.settings.dev"


def content():
    from django.contrib.auth.models import User
    from django.core.files.base import ContentFile
    from home.models import HomePage
    from wagtail.contrib.redirects.models import Redirect
    from wagtail.documents.models import Document

    User.objects.create_superuser("admin", "admin@example.test", "admin-password")
    home = HomePage.objects.first()
    for n in range(1, 6):
        home.add_child(instance=HomePage(title=f"Story {n}"))
    document = Document.objects.create(title="Imprint", file=ContentFile(b"imprint", name="imprint.txt"))
    document.get_file_size()  # otherwise the first visit would fill it in
    document.get_file_hash()
    Redirect.objects.create(old_path="/old", redirect_link="/new")


if __name__ == "__main__":
    project()
    django.setup()
    call_command("migrate", verbosity=0)
    content()
