"""Relations are read from the statements that hold them; the table was never filled."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('forager', '0302_found_by_excerpt'),
    ]

    operations = [
        migrations.DeleteModel(name='Relationship'),
    ]
