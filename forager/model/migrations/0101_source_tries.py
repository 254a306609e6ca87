from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("forager", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="source",
            name="tries",
            field=models.PositiveSmallIntegerField(default=0, help_text="hard ends of workers while it was in hand"),
        ),
    ]
