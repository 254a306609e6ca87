"""``manage.py createfirstadmin``: the first administrator, with a one-time password printed once."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from console.audit.models import Actor
from console.people.actions import add_person
from console.people.models import User
from console.policy import Role

BY = Actor(key="command:createfirstadmin", name="Set-up")


class Command(BaseCommand):
    help = "Make the first administrator and print their one-time password. Does nothing when there is one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--email", default="admin@anthill.local")
        parser.add_argument("--name", default="Administrator")

    def handle(self, *args: object, **options: str) -> None:
        if User.objects.exists():
            self.stdout.write("People are there already; no administrator was made.")
            return
        user, password = add_person(by=BY, email=options["email"], name=options["name"], role=Role.ADMINISTRATOR)
        self.stdout.write(f"First administrator: {user.email}")
        self.stdout.write(f"One-time password:   {password}")
        self.stdout.write("It is shown only now. You choose your own at the first sign-in.")
